// The section on the intervals between P, QRS and T waves and on ST levels: of the whole recording, and hour by hour.

const kHour_s = 3600;

const milliseconds = (value) => fixed(value, 0);
const millivolts = (value) => fixed(value, 2);
const shareWith = (share) => exists(share) ? fixed(100 * share, share >= 0.9995 ? 0 : 1) + ' %' : '–';
const extremesOf = (values) => values.filter(exists).reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);

// Returns the name of the corrected QT interval, with that of the correction's author.
function qtcName() {
  const name = config.waves?.qtc;
  return 'QTc' + (name ? ', ' + name[0].toUpperCase() + name.slice(1) : '');
}

function intervalTiles(waves) {
  const tile = (name, value, detail) => ({name, value: exists(value) ? fixed(value, 0) + ' ms' : '–', detail});
  const longest = waves.longest_qtc, lone = arrays.non_conducted?.length ? arrays.non_conducted[0] / unit : null;
  const stretch = (words, begin) => seeLink(words, begin, begin + 10);
  return tiles([
    tile(
        'PR interval', waves.pr_ms,
        exists(waves.p_share) ?
            [
              exists(waves.pr_ms) ? `of ${counted(data.pr_beats, 'beat')}; ` : '',
              `${shareWith(waves.p_share)} of the normal beats have a P wave`
            ] :
                                    ''),
    tile('QRS duration', waves.qrs_ms),
    tile('QT interval', waves.qt_ms),
    tile(
        qtcName(), waves.qtc_ms,
        longest && facts.length > 60 ? stretch(
                      `longest QTc of a minute: ${fixed(longest.qtc_ms, 0)} ms, from ${clock(longest.begin_s)}`,
                      longest.begin_s) :
                  ''),
    {
      name: 'Non-conducted P waves',
      value: grouped(waves.non_conducted_p),
      detail: lone === null ? '' : stretch(`the first non-conducted P wave at ${clock(lone, 1)}`, Math.max(lone - 5, 0))
    },
  ]);
}

// Returns the unit of ST levels: mV by the file, or by the usual size of an ECG where the file names none.
const stUnit = () => summary.input.leads?.some((lead) => lead.unit_assumed) ? 'mV (unit assumed)' : 'mV';

// Returns the ST level of each lead, and its extremes over the hours where there are some.
function levelTable(waves, leads, hours) {
  const row = (words, level) => [words, ...leads.map((lead) => millivolts(level(lead)))];
  const ends = (lead) => extremesOf(hours.map((hour) => hour.st_mv?.[lead]));
  return table('numbers', [`ST level, ${stUnit()}`, ...leads.map((lead) => nameNode('span', lead))], [
    row('whole recording', (lead) => waves.st_mv[lead]),
    ...(hours.length ? [row('lowest hour', (lead) => ends(lead)[0]), row('highest hour', (lead) => ends(lead)[1])] : [])
  ]);
}

// --- Hour by hour

const hourEnds = (hour) => [kHour_s * hour, Math.min(kHour_s * (hour + 1), facts.length)];
const hourMiddle = (hour) => (hourEnds(hour)[0] + hourEnds(hour)[1]) / 2;

// Draws intervals hour by hour; null where no hour has one. `least` is the least span of the axis in ms, so that a
// steady interval looks steady.
function trendChart(hours, name, lines, least, bare) {
  const [low, high] = extremesOf(hours.flatMap((hour) => lines.map(([key]) => hour[key])));
  if (low > high) return null;
  const margin = Math.max(0.1 * (high - low), (least - (high - low)) / 2);
  return chart(`${name} hour by hour, from ${fixed(low, 0)} to ${fixed(high, 0)} ms`, {
    x: timeAxis(),
    y: {from: Math.max(low - margin, 0), to: high + margin, label: name + ', ms'},
    height: bare ? 96 : 138,
    bare,
    draw: (pen) => {
      for (const [key, css, dash] of lines) {
        const points = hours.map((hour, i) => [hourMiddle(i), hour[key]]);
        pen.line(points, css, {dash});
        pen.dots(points, css, hours.length <= 48 ? 4 : 2);
      }
    }
  });
}

// Draws the ST levels of all leads on one scale, a lane for each lead. A lane reaches from -`reach` to `reach`.
function levelChart(waves, leads, hours, reach) {
  const count = leads.length;
  return chart('ST level of each lead hour by hour', {
    x: timeAxis(),
    y: {from: 0, to: count, label: `ST level, ${stUnit()}`, kind: 'rows', names: leads.map(shortName)},
    height: 60 + count * Math.max(26, Math.min(330 / count, 110)),
    draw: (pen) => leads.forEach((lead, i) => {
      const middle = count - i - 0.5,
            points = hours.map(
                (hour,
                 h) => [hourMiddle(h), exists(hour.st_mv?.[lead]) ? middle + hour.st_mv[lead] / (2 * reach) : NaN]);
      pen.line([[0, middle], [facts.length, middle]], 'subtle', {width: 1});
      pen.line(points, 'normal');
      pen.dots(points, 'normal', 3);
      pen.text(
          millivolts(waves.st_mv[lead]), pen.box.left + pen.box.width - 4 * pen.pixel, pen.y(middle) - 8 * pen.pixel,
          'right', 'muted');
    })
  });
}

function trendTable(hours) {
  const day = facts.start_s !== null;
  return table(
      'numbers',
      [
        'from – to', ...(day ? ['time of day'] : []), 'N beats', 'PR, ms', 'QRS, ms', 'QT, ms', 'QTc, ms',
        'with P wave', 'non-conducted P'
      ],
      hours.map(
          (hour, i) =>
              [hourEnds(i).map(hoursMinutes).join(' – '), ...(day ? [dayTime(hourEnds(i)[0])] : []),
               grouped(hour.beats), ...[hour.pr_ms, hour.qrs_ms, hour.qt_ms, hour.qtc_ms].map(milliseconds),
               shareWith(hour.p_share), grouped(hour.non_conducted_p)]));
}

function trend(waves, leads, hours) {
  const [low, high] = extremesOf(hours.flatMap((hour) => Object.values(hour.st_mv ?? {})));
  const reach = Math.max(0.1, Math.ceil(10 * Math.max(-low, high) - 1e-9) / 10 || 0);
  return figure(
      'intervals-trend', 'Intervals and ST level hour by hour', {
        wide: true,
        note: `A point is the median of an hour. A lane of the ST levels reaches from −${fixed(reach, 1)} to ${
                  fixed(reach, 1)} mV, and its ` +
            'line is 0; on the right is the level of the whole recording.',
        rows: () => hours.map(({beats, pr_ms, qrs_ms, qt_ms, qtc_ms, p_share, non_conducted_p, st_mv}, i) => ({
                                from_s: kHour_s * i,
                                beats,
                                pr_ms,
                                qrs_ms,
                                qt_ms,
                                qtc_ms,
                                p_share,
                                non_conducted_p,
                                ...Object.fromEntries(leads.map((lead) => ['st_mv_' + lead, st_mv?.[lead]]))
                              }))
      },
      stacks(
          [
            trendChart(hours, 'PR interval', [['pr_ms', 'normal']], 40, true),
            trendChart(hours, 'QRS duration', [['qrs_ms', 'normal']], 40, true),
            trendChart(hours, 'QT and QTc', [['qt_ms', 'model', [5, 4]], ['qtc_ms', 'normal']], 80, false),
            legend([['normal', qtcName()], ['model dashed', 'QT']])
          ],
          [leads.length ? levelChart(waves, leads, hours, reach) : null]),
      trendTable(hours));
}

function addIntervals() {
  const {waves} = summary;
  if (!waves || !timed) return;
  const hasTrend = facts.length >= 2 * kHour_s && waves.hours?.length > 1;
  const leads = Object.keys(waves.st_mv ?? {}), hours = hasTrend ? waves.hours : [];
  addSection(
      'intervals', 'Intervals', 'Intervals between P, QRS and T waves',
      `Medians over the ${
          counted(waves.beats, 'normal beat')} (N) in good signal. An interval is left out where fewer ` +
          `than ${data.least_measured} of them have it. A small neural network finds the waves in the average of a ` +
          'beat and its neighbours of the same shape. The ST level is measured ' +
          `${
              fixed(
                  1000 * config.waves?.st_after_j_s,
                  0)} ms after the end of the QRS complex. Please verify in the strip.`,
      intervalTiles(waves), leads.length ? levelTable(waves, leads, hours) : null,
      hasTrend ? trend(waves, leads, hours) : null);
}
