// The section on detection and rhythm: intervals between beats, rejected beats, and where the signal is poor.

const kPoorKinds = ['missing', 'flat', 'clipped', 'noisy'];
const kBeatLegend = [['normal', 'normal beat'], ['abnormal', 'abnormal beat']];
const kDensityLegend = [['density', 'normal beats; a stronger colour means more of them'], kBeatLegend[1]];

// Returns the points of the normal and of the abnormal beats by functions of a beat.
function pointsOf(x, y) {
  const points = {normal: [], abnormal: []};
  for (let i = 0; i < beats.count; ++i) points[beats.abnormal(i) ? 'abnormal' : 'normal'].push([x(i), y(i)]);
  return points;
}

const intervals = () => Float64Array.from(arrays.samples, (_, i) => beats.next(i));
// Returns an axis from 0 that leaves out the rare longest intervals.
const intervalAxis = (what) =>
    ({from: 0, to: valueRange(intervals(), 5e-4).to * 1.08, label: `${what}, ${timed ? 's' : 'samples'}`});

function tachogram() {
  const host = node('div.chart');
  later.push(() => {
    const plot = timePlot(host, {
      height: 210,
      y: intervalAxis('RR interval before the beat'),
      last: true,
      description: 'Tachogram: interval before each beat over the recording',
      draw: (pen) => {
        const {min, max} = pen.plot.scales.x, end = Math.min(beats.count, beats.from(max * unit) + 1);
        const begin = Math.max(1, beats.from(min * unit)), few = end - begin < pen.box.width / 4;
        for (const [name, size] of [['normal', few ? 3.6 : 1.8], ['abnormal', few ? 6 : 3.4]]) {
          const points = [];
          for (let i = begin; i < end; ++i)
            if (beats.abnormal(i) === (name === 'abnormal')) points.push([beats.at(i), beats.before(i)]);
          pen.dots(points, name, size, name === 'normal' && !few ? 0.6 : 1);
        }
      },
    });
    buildPick(plot, {x: beats.at, y: beats.before});
  });
  return figure('tachogram', 'Tachogram', {wide: true}, host, legend(kBeatLegend));
}

// Returns the limits that the configuration sets to intervals, in the axis' unit.
function limitsOf() {
  if (!facts.published) return [[config.detect?.distance_s, 'shortest allowed']];
  return [['min_length', 'shortest kept'], ['max_length', 'longest kept']].map(([key, words]) => {
    const seconds = config.embed?.[key + '_s'], samples = config.embed?.[key + '_samples'];
    return [!timed ? samples : seconds ?? samples / facts.rate_hz, words];
  });
}

function lengths() {
  const kBins = 90, x = intervalAxis('interval to the next beat'), limits = limitsOf().filter(([at]) => exists(at));
  for (const [at] of limits) x.to = Math.max(x.to, 1.1 * at);
  const counts = Array(kBins).fill(0), left = (bin) => x.to * bin / kBins;
  let beyond = 0;
  for (const rr of intervals())
    if (exists(rr)) rr < x.to ? ++counts[Math.floor(rr / x.to * kBins)] : ++beyond;
  return figure(
      'lengths', 'Intervals between beats', {
        note: beyond ? counted(beyond, 'longer interval is', 'longer intervals are') + ' not shown.' : '',
        rows: () => counts.map((count, bin) => ({from: left(bin), beats: count}))
      },
      chart('Histogram of the intervals between beats, with their limits', {
        x,
        y: {from: 0, to: 1.08 * Math.max(...counts, 1), label: 'beats', kind: 'whole'},
        height: 280,
        title: (at) => {
          const bin = Math.floor(at / x.to * kBins);
          return `${significant(left(bin), 3)} to ${significant(left(bin + 1), 3)}: ${grouped(counts[bin])}`;
        },
        draw: (pen) => {
          counts.forEach((count, bin) => count && pen.bar(left(bin), left(bin + 1), 0, count, 'normal'));
          for (const [at, words] of limits) pen.rule('x', at, 'muted', words, [4, 3]);
        },
      }));
}

function drawDensity(pen, {normal, abnormal}, diagonal) {
  if (diagonal) pen.line(diagonal, 'median', {width: 1, dash: [2, 3]});
  pen.density(normal, 'normal', 7);
  pen.dots(abnormal, 'abnormal', 4);
}

function poincare() {
  const of = {x: beats.before, y: beats.next}, points = pointsOf(of.x, of.y),
        x = intervalAxis('RR interval before the beat');
  return figure(
      'poincare', 'Poincaré plot', {
        note:
            'Each point is a beat, placed by the intervals before and after it. Beats of a regular rhythm lie on the ' +
            'diagonal, premature beats with a compensatory pause at the upper left.'
      },
      chart('Poincaré plot: interval after each beat against the interval before it', {
        x,
        y: {...x, label: intervalAxis('RR interval after the beat').label},
        height: 460,
        pick: of,
        draw: (pen) => drawDensity(pen, points, [[0, 0], [x.to, x.to]]),
      }),
      legend(kDensityLegend));
}

function drops() {
  const {found, kept, dropped} = summary.beats;
  // The default method drops no beat for its length, so these rows are left out where they are 0.
  const others = Object.entries(dropped).filter(([key, count]) => facts.published || key === 'in_gap' || count);
  const rows = [['kept and scored', kept], ...others.map(([key, count]) => [kDrops[key] ?? key, count])];
  return figure(
      'drops', 'Beats kept, and why others were dropped',
      {rows: () => rows.map(([reason, beats]) => ({reason, beats}))},
      table('numbers', ['', 'beats', 'share', ''], rows.map(([words, count]) => {
        const share = count / Math.max(found, 1);
        return [words, grouped(count), percent(share), meter(share)];
      })));
}

// Where the signal is poor: a row for each kind or, of several leads, a row for each lead.
function quality() {
  if (!summary.quality) return null;
  if (data.leads.every(({poor}) => !poor.length))
    return node(
        'p.note', {}, severalLeads ? 'All of the signal is good, in every lead.' : 'All of the signal is good.');
  const leads = severalLeads ?
      [{name: 'any lead', poor: data.poor, analysable: summary.quality.analysable_share, used: true}, ...data.leads] :
      data.leads;
  const stretches = leads.flatMap(
      ({name, poor}, row) =>
          poor.map(([from, to, kind]) => ({from, to, kind, name, row: severalLeads ? row : kPoorKinds.indexOf(kind)})));
  const names = severalLeads ? leads.map(({name}) => shortName(name)) : kPoorKinds;
  const share = ({poor}, kind) =>
      poor.reduce((sum, [from, to, what]) => sum + (what === kind ? to - from : 0), 0) / facts.length;
  const lanes = chart('Stretches of poor signal over the recording', {
    x: timeAxis(),
    y: {from: 0, to: names.length, kind: 'rows', names},
    height: 50 + 26 * names.length,
    title: (x, y) => {
      const at = stretches.find(({from, to, row}) => from <= x && x <= to && row === names.length - 1 - Math.floor(y));
      return at && `${severalLeads ? shortName(at.name) + ', ' : ''}${clock(at.from)} to ${clock(at.to)}: ${at.kind}`;
    },
    draw: (pen) => {
      for (const {from, to, kind, row} of stretches)
        pen.bar(from, to, names.length - row - 0.85, names.length - row - 0.15, 'quality-' + kind);
    },
  });
  const rows = leads.map(
      (lead) =>
          [nameNode('span', lead.name), percent(lead.analysable ?? NaN),
           ...kPoorKinds.map((kind) => share(lead, kind) ? percent(Math.min(share(lead, kind), 1)) : ''),
           lead.used ? '' : 'left out']);
  const by = severalLeads ?
      [
        legend(kPoorKinds.map((kind) => ['quality-' + kind, kind])),
        table('numbers', ['lead', 'analysable', ...kPoorKinds, ''], rows)
      ] :
      [];
  return figure(
      'quality', severalLeads ? 'Signal quality by lead' : 'Stretches of poor signal', {
        note: severalLeads &&
            'The first row shows where no lead is good.' +
                (leads.some(({used}) => !used) ? ' A lead that is left out has no part in the scores.' : ''),
        rows: () => stretches.map(
            ({name, from, to, kind}) =>
                ({...(severalLeads ? {lead: name} : {}), from_s: from, to_s: to, quality: kind}))
      },
      lanes, by);
}

function addRhythm() {
  addSection(
      'detection', 'Rhythm', 'Detection and rhythm', '', tachogram(),
      stacks([lengths(), drops(), quality()], [poincare(), variability()]));
}
