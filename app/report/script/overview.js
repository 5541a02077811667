// The section on the whole recording: figures that share one time axis, on which a stretch can be chosen.

const timePlots = [];
const kOverviewWindows = 160;
const hasRates = () => timed && facts.length >= 60;
let overviewWindows = [];

function timePlot(host, {height, y, draw, last, description}) {
  const plot = newPlot(host, {
    x: timeAxis(),
    y,
    height,
    draw,
    bare: !last,
    description,
    options: {
      movable: true,
      cursor: {sync: {key: 'time'}, drag: {x: true, y: false, setScale: false}},
      hooks: {
        setSize: [placeMark],
        setSelect: [brushed],
        setCursor: [readOut],
        setScale: [(plot, scale) => scale === 'x' && follow(plot)],
      },
    },
  });
  plot.mark = node('div.window-mark', {hidden: ''});
  plot.over.append(plot.mark);
  plot.over.addEventListener('dblclick', () => showStretch(0, facts.length));
  plot.over.addEventListener('click', (event) => clicked(plot, event));
  timePlots.push(plot);
  return plot;
}

// --- Drawing

function drawPoor(pen, stretches, height, name) {
  pen.ctx.fillStyle = colour(name);
  for (const [from, to] of stretches)
    pen.ctx.fillRect(pen.x(from), pen.box.top, Math.max(2, pen.x(to) - pen.x(from)), height);
}

// Draws a line between samples that are at least a pixel apart. Otherwise each column of pixels reaches from the least
// to the greatest of its samples. Where no lead is good, all of them are shaded.
const drawEnvelope = (lead) => (pen) => {
  const {ctx, box, plot} = pen, {min, max} = plot.scales.x, bin = lead.bin / unit;
  const begin = Math.max(0, Math.floor(min / bin)), end = Math.min(lead.low.length, Math.ceil(max / bin) + 1);
  if (severalLeads) drawPoor(pen, data.poor, box.height, 'poor-wash');
  if (end - begin < box.width && lead.bin === 1) {
    pen.line(
        Array.from({length: end - begin}, (_, i) => [(begin + i) * bin, lead.low[begin + i]]), 'normal', {width: 1.3});
  } else {
    ctx.fillStyle = colour('normal');
    const joined = lead.bin === 1 ? 1 : 0;  // columns reach to the one before, so that they join
    const columns = Math.min(Math.ceil(box.width), end - begin), wide = Math.max(1, box.width / columns);
    for (let column = 0; column < columns; ++column) {
      let low = Infinity, high = -Infinity;
      const first = begin + Math.floor((end - begin) * column / columns),
            last = begin + Math.floor((end - begin) * (column + 1) / columns);
      for (let i = Math.max(begin, first - joined); i < last; ++i) {
        if (lead.low[i] < low) low = lead.low[i];
        if (lead.high[i] > high) high = lead.high[i];
      }
      if (low > high) continue;  // a gap
      // An artifact may reach so far that a canvas, which counts in float32, would draw its other end elsewhere.
      const inside = (y) => Math.max(box.top - 9, Math.min(y, box.top + box.height + 9));
      const top = inside(pen.y(high));
      ctx.fillRect(pen.x(first * bin), top, wide, Math.max(pen.pixel, inside(pen.y(low)) - top));
    }
  }
  drawPoor(pen, lead.poor, 4 * pen.pixel, 'poor');
};

function drawRate(pen) {
  const middle = ({from, to}) => (from + to) / 2;
  pen.band(
      overviewWindows.map(
          (one) =>
              [middle(one), Math.min(one.slowest ?? one.mean, one.mean), Math.max(one.fastest ?? one.mean, one.mean)]),
      'normal', 0.22);
  pen.line(overviewWindows.map((one) => [middle(one), one.mean]), 'normal', {width: 1.5});
}

function drawAbnormal(pen) {
  for (const {from, to, abnormal} of overviewWindows)
    if (abnormal) pen.bar(from, to, 0, abnormal, 'abnormal');
}

// Draws a row for each group, with its name above the episodes.
const drawEpisodes = (rows, lane) => (pen) => {
  const count = rows.length, {min, max} = pen.plot.scales.x;
  for (const {from, to, group, row} of lane)
    if (to >= min && from <= max) pen.bar(from, to, count - row - 0.95, count - row - 0.45, 'episode-' + group, 2);
  rows.forEach(([, name], row) => pen.text(name, pen.box.left + 4 * pen.pixel, pen.y(count - row - 0.24)));
};

// Returns the axis of the heart rate. A small span would make an even rhythm look uneven.
function rateAxis() {
  const {from, to} = valueRange(overviewWindows.flatMap((one) => [one.slowest, one.mean, one.fastest]));
  const lack = Math.max(0, 30 - (to - from));
  return {from: Math.max(0, from - lack / 2), to: to + lack / 2, label: 'heart rate, beats a minute'};
}

function leadAxis(lead, i) {
  const name = severalLeads ? lead.label : 'signal', {from, to} = signalRange(lead);
  return {from, to, label: lead.unit ? `${name}, ${lead.unit}` : i ? name : name + ', unit of the file'};
}

// --- What the reader does with the figures

function brushed(plot) {
  const {left, width} = plot.select;
  if (width < 4) return;
  const from = plot.posToVal(left, 'x'), to = plot.posToVal(left + width, 'x');
  plot.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
  chooseStretch(from, to);
  if ((to - from) * unit / perSecond > 20) showStretch(from, to);
}

// Chooses an episode in its lane, and a time elsewhere. The tachogram has a click of its own.
function clicked(plot, {offsetX: left, offsetY: top}) {
  if (plot.root.closest('#tachogram')) return;
  const position = plot.posToVal(left, 'x'), episode = plot.lane ? episodeUnder(plot, left, top) : null;
  episode ? see(episode.from, episode.to, episodeText(episode)) : chooseStretch(position, position);
}

// Returns the shortest episode under the pointer, or else one that is at most four pixels away; null without one.
function episodeUnder(plot, left, top) {
  const row = Math.floor(top / plot.over.clientHeight * groupsIn().length);
  const at = plot.posToVal(left, 'x'), reach = plot.posToVal(left + 4, 'x') - at;
  for (const within of [0, reach]) {
    const found = plot.lane.filter((one) => one.row === row && one.from <= at + within && one.to >= at - within);
    if (found.length) return found.reduce((best, one) => one.to - one.from < best.to - best.from ? one : best);
  }
  return null;
}

function showStretch(from, to) {
  const whole = from <= 0 && to >= facts.length;
  for (const plot of timePlots) plot.setScale('x', {min: Math.max(from, 0), max: Math.min(to, facts.length)});
  find('#whole').hidden = whole;
}

// Gives all figures the time axis of the one that was changed.
let following = false;
function follow(plot) {
  placeMark(plot);
  if (following) return;
  following = true;
  for (const other of timePlots)
    if (other !== plot) other.setScale('x', {min: plot.scales.x.min, max: plot.scales.x.max});
  following = false;
}

let marked = [0, 0];
function markWindow(from, to) {
  marked = [from, to];
  timePlots.forEach(placeMark);
}

function placeMark(plot) {
  if (!plot.mark) return;
  const left = plot.valToPos(marked[0], 'x'), right = plot.valToPos(marked[1], 'x');
  plot.mark.style.left = left + 'px';
  plot.mark.style.width = Math.max(2, right - left) + 'px';
  plot.mark.hidden = marked[0] <= 0 && marked[1] >= facts.length;  // all of it is no choice
}

function readOut(plot) {
  const {left} = plot.cursor;
  if (left < 0) {
    find('#read-out').textContent = '';
    return;
  }
  const position = plot.posToVal(left, 'x');
  const here = overviewWindows.find(({to}) => position <= to) ?? overviewWindows[overviewWindows.length - 1];
  const rate = here.mean === null ? '' : ` · ${fixed(here.mean, 0)} a minute`;
  const named = episodes.filter(({from, to}) => from <= position && position <= to).slice(0, 3);
  find('#read-out').textContent =
      `${positionText(position)}${dayText(position)}${rate} · ${here.abnormal} abnormal of ${here.beats} beats here${
          named.map((one) => ' · ' + wordsOf(one.label) + (one.isLow ? '?' : '')).join('')}`;
}

// --- The section

// Says how the bins of a lead are drawn.
const binsNote = (bin, what) => bin === 1 ? `${what} drawn at full rate` :
                                            `${what} drawn as the least and the greatest value of every ${bin} samples`;

function overviewNote(width) {
  const {bin_samples: bin, other_bin_samples: other} = facts, alike = !severalLeads || bin === other;
  const parts =
      [binsNote(bin, alike ? 'The signal is' : 'The first lead is') +
       (alike ? '.' : `; ${binsNote(other, 'the other leads are')}.`)];
  if (data.leads.some((lead) => signalRange(lead).cut))
    parts.push('Where the signal reaches beyond the axis, as artifacts do, it is cut off.');
  if (hasRates())
    parts.push(
        `Heart rate: the line is the mean of each ${duration(width)}; the band reaches from the slowest to the ` +
        `fastest mean of ${kRateIntervals} intervals in a row.`);
  if (data.leads.some(({poor}) => poor.length))
    parts.push(
        severalLeads ? 'Orange marks at the top of a lead show where that lead is poor.' :
                       'Orange marks at the top show poor signal.');
  if (severalLeads && data.poor.length) parts.push('Where no lead is good, all of them are shaded.');
  return parts.join(' ');
}

function overviewPlots(host, width) {
  const lane = data.leads.length > 4 ? 46 : 68;  // the height of a lead below the first one
  data.leads.forEach((lead, i) => {
    const plot = timePlot(host, {
      y: leadAxis(lead, i),
      height: i ? lane : 150,
      draw: drawEnvelope(lead),
      description: `Envelope of the signal${severalLeads ? ' in lead ' + lead.label : ''} over the whole recording`
    });
    if (i) plot.root.parentNode.classList.add('other-lead');  // paper has no room for it
  });
  if (hasRates())
    timePlot(host, {
      y: rateAxis(),
      height: 110,
      draw: drawRate,
      description: 'Heart rate over the whole recording: mean, slowest and fastest'
    });
  const rows = groupsIn(), most = Math.max(...overviewWindows.map(({abnormal}) => abnormal), 1);
  if (rows.length) {
    const plot = timePlot(host, {
      y: {from: 0, to: rows.length, label: 'episodes', kind: 'none'},
      height: 14 + kRowPixels * rows.length,
      draw: (pen) => drawEpisodes(rows, plot?.lane ?? laneOf())(pen),
      description: 'Episodes over the whole recording'
    });
    plot.lane = laneOf();
  }
  eventLane(host);
  timePlot(host, {
    y: {
      from: 0,
      to: 1.08 * most,
      label: `abnormal beats per ${timed ? duration(width) : grouped(width) + ' samples'}`,
      kind: 'whole'
    },
    height: 130,
    last: true,
    draw: drawAbnormal,
    description: 'Abnormal beats over the whole recording'
  });
}

function addRecording() {
  const width = windowWidth(kOverviewWindows), host = node('div.chart');
  overviewWindows = windowsOf(width);
  later.push(() => overviewPlots(host, width));
  const whole = node('button', {type: 'button', id: 'whole', hidden: ''}, 'Whole recording');
  whole.addEventListener('click', () => showStretch(0, facts.length));
  const title = hasRates() ? 'Signal, heart rate and abnormal beats' : 'Signal and abnormal beats';
  addSection(
      'recording', 'Recording', 'The whole recording', '',
      figure(
          'overview', title, {
            wide: true,
            note: overviewNote(width),
            tools: csvLink('envelope', title, 'Signal as CSV'),
            rows: () => overviewWindows.map(
                ({from, beats, abnormal, mean, slowest, fastest}) =>
                    ({from, beats, abnormal, rate_mean: mean, rate_slowest: slowest, rate_fastest: fastest}))
          },
          node(
              'p.hint', {}, 'Drag over a stretch or click on a time to see it as a strip below. ',
              node('span', {id: 'read-out', 'aria-live': 'off'}), ' ', whole),
          host),
      find('#viewer').content, eventTable());
}
