// Draws the figures over the whole recording with uPlot. They share one time axis, on which a stretch can be chosen.

const timePlots = [];

// Returns the ends and the label of a static chart's vertical axis, which the live chart takes over.
function verticalAxis(svg) {
  const [from, to] = svg.dataset.y.split(' ').map(Number);
  return {from, to, label: find('.y-label', svg).textContent};
}

function timePlot(host, {height, svg, draw, last, values = kValueAxis}) {
  const axis = verticalAxis(svg), label = document.createElement('div');
  label.className = 'plot-label';
  label.textContent = axis.label;
  host.append(label);
  const plot = new uPlot(
      {
        width: host.clientWidth,
        height,
        legend: {show: false},
        padding: [8, 24, 0, 0],
        cursor: {sync: {key: 'time'}, drag: {x: true, y: false, setScale: false}, points: {show: false}, y: false},
        scales: {x: {time: false, min: 0, max: facts.length}, y: {range: [axis.from, axis.to]}},
        axes: [timeAxis(last), values],
        series: [{}, {show: true, paths: () => null, points: {show: false}}],
        hooks: {
          ready: [placeMark],
          setSize: [placeMark],
          draw: [(plot) => inPlot(plot, draw)],
          setSelect: [brushed],
          setCursor: [readOut],
          setScale: [(plot, scale) => {
            if (scale === 'x') follow(plot);
          }]
        },
      },
      [[0, facts.length], [axis.from, axis.to]], host);
  plot.mark = part(plot, 'window-mark');
  plot.over.addEventListener('dblclick', () => showStretch(0, facts.length));
  plot.over.addEventListener('click', () => clicked(plot));
  timePlots.push(plot);
  return plot;
}

function part(plot, name) {
  const element = document.createElement('div');
  element.className = name;
  plot.over.append(element);
  return element;
}

// Calls `draw` with the canvas cut off at the axes. Coordinates are device pixels.
function inPlot(plot, draw) {
  const {ctx, bbox} = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(plot, ctx, bbox, {x: (value) => plot.valToPos(value, 'x', true), y: (value) => plot.valToPos(value, 'y', true)});
  ctx.restore();
}

// --- Drawing

function drawPoor(stretches, height, ctx, bbox, to) {
  for (const [from, end] of stretches) ctx.fillRect(to.x(from), bbox.top, Math.max(2, to.x(end) - to.x(from)), height);
}

// Draws a line between samples that are at least a pixel apart. Otherwise each column of pixels reaches from the least
// to the greatest of its samples. Where no lead is good, all of them are shaded.
const drawEnvelope = (lead) => (plot, ctx, bbox, to) => {
  const {min, max} = plot.scales.x, bin = lead.bin / unit;
  const begin = Math.max(0, Math.floor(min / bin)), end = Math.min(lead.low.length, Math.ceil(max / bin) + 1);
  ctx.fillStyle = colour('poor-wash');
  if (severalLeads) drawPoor(data.poor, bbox.height, ctx, bbox, to);
  ctx.strokeStyle = ctx.fillStyle = colour('normal');
  if (end - begin < bbox.width && lead.bin === 1) {
    ctx.lineWidth = 1.3 * devicePixelRatio;
    ctx.beginPath();
    for (let i = begin; i < end; ++i)
      ctx[Number.isNaN(lead.low[i - 1] ?? NaN) ? 'moveTo' : 'lineTo'](to.x(i * bin), to.y(lead.low[i]));
    ctx.stroke();
  } else {
    const joined = lead.bin === 1 ? 1 : 0;  // columns reach to the one before, so that they join
    const columns = Math.min(Math.ceil(bbox.width), end - begin), wide = Math.max(1, bbox.width / columns);
    for (let column = 0; column < columns; ++column) {
      let low = Infinity, high = -Infinity;
      const first = begin + Math.floor((end - begin) * column / columns),
            last = begin + Math.floor((end - begin) * (column + 1) / columns);
      for (let i = Math.max(begin, first - joined); i < last; ++i) {
        if (lead.low[i] < low) low = lead.low[i];
        if (lead.high[i] > high) high = lead.high[i];
      }
      if (low > high) continue;  // a gap
      // An artefact may reach so far that a canvas, which counts in float32, would draw its other end elsewhere.
      const inside = (y) => Math.max(bbox.top - 9, Math.min(y, bbox.top + bbox.height + 9));
      const top = inside(to.y(high));
      ctx.fillRect(to.x(first * bin), top, wide, Math.max(devicePixelRatio, inside(to.y(low)) - top));
    }
  }
  ctx.fillStyle = colour('poor');
  drawPoor(lead.poor, 4 * devicePixelRatio, ctx, bbox, to);
};

const windows = () =>
    Object.fromEntries(data.tables.overview.columns.map((name, i) => [name, data.tables.overview.data[i]]));

function drawRate(plot, ctx, bbox, to) {
  const {from, rate_mean, rate_slowest, rate_fastest} = windows(), width = from[1] - from[0] || facts.length;
  const middle = (i) => to.x(Math.min(from[i] + width / 2, facts.length));
  ctx.fillStyle = colour('normal');
  ctx.globalAlpha = 0.22;
  for (let i = 0; i + 1 < from.length; ++i) {
    const corners = [[i, rate_fastest], [i + 1, rate_fastest], [i + 1, rate_slowest], [i, rate_slowest]].map(
        ([at, row]) => [middle(at), row[at] ?? rate_mean[at]]);
    if (corners.some(([, value]) => value === null)) continue;
    ctx.beginPath();
    for (const [x, value] of corners) ctx.lineTo(x, to.y(value));
    ctx.fill();
  }
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colour('normal');
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  rate_mean.forEach((value, i) => {
    if (value !== null) ctx[i > 0 && rate_mean[i - 1] !== null ? 'lineTo' : 'moveTo'](middle(i), to.y(value));
  });
  ctx.stroke();
}

function drawAbnormal(plot, ctx, bbox, to) {
  const {from, abnormal} = windows(), width = from[1] - from[0] || facts.length;
  ctx.fillStyle = colour('abnormal');
  from.forEach((start, i) => {
    const left = to.x(start), top = to.y(abnormal[i]);
    if (abnormal[i])
      ctx.fillRect(left, top, Math.max(1, to.x(Math.min(start + width, facts.length)) - left - 0.5), to.y(0) - top);
  });
}

function drawTachogram(plot, ctx, bbox, to) {
  const {min, max} = plot.scales.x, begin = Math.max(1, beats.from(min * unit)),
              end = Math.min(beats.count, beats.from(max * unit) + 1);
  const few = end - begin < bbox.width / 4;
  for (const [kind, size] of [['normal', few ? 3.6 : 1.8], ['abnormal', few ? 6 : 3.4]]) {
    const side = size * devicePixelRatio,
          taken = new Uint8Array(Math.ceil(bbox.width + 1) * Math.ceil(bbox.height + 1));
    ctx.fillStyle = colour(kind);
    ctx.globalAlpha = kind === 'normal' && !few ? 0.6 : 1;
    for (let i = begin; i < end; ++i) {
      if (beats.abnormal(i) !== (kind === 'abnormal')) continue;
      const x = to.x(beats.at(i)), y = to.y(beats.before(i)),
            pixel = Math.round(x - bbox.left) * Math.ceil(bbox.height + 1) + Math.round(y - bbox.top);
      if (Number.isNaN(y) || taken[pixel]) continue;  // one point a pixel is enough
      taken[pixel] = 1;
      ctx.fillRect(x - side / 2, y - side / 2, side, side);
    }
  }
  ctx.globalAlpha = 1;
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

// Chooses a beat in the tachogram, and a time elsewhere. uPlot does not pass on the click that ends a drag.
function clicked(plot) {
  const position = plot.posToVal(plot.cursor.left, 'x');
  if (plot.ring) return chooseBeat(nearestPoint(plot));
  const episode = plot.lane ? episodeUnder(plot) : -1;
  episode < 0 ? chooseStretch(position, position) :
                see(episodes.from[episode], episodes.to[episode], episodes.text(episode));
}

function nearestPoint(plot) {
  const {left, top} = plot.cursor, span = plot.posToVal(left + 12, 'x') - plot.posToVal(left, 'x'),
               at = plot.posToVal(left, 'x');
  let best = beats.nearest(at), least = Infinity;
  for (let i = beats.from((at - span) * unit); i < beats.count && beats.at(i) <= at + span; ++i) {
    const distance = Math.hypot(plot.valToPos(beats.at(i), 'x') - left, plot.valToPos(beats.before(i), 'y') - top);
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
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
  if (!plot.ring) return;
  const beat = selection.beat, top = beat === null ? NaN : plot.valToPos(beats.before(beat), 'y');
  plot.ring.hidden = Number.isNaN(top);
  plot.ring.style.left = plot.valToPos(beat === null ? 0 : beats.at(beat), 'x') + 'px';
  plot.ring.style.top = top + 'px';
}

function readOut(plot) {
  const {left} = plot.cursor;
  if (left < 0) {
    find('#read-out').textContent = '';
    return;
  }
  const position = plot.posToVal(left, 'x'), {from, rate_mean, abnormal, beats: count} = windows();
  const i = Math.max(0, Math.min(from.length - 1, Math.floor(position / (from[1] - from[0] || facts.length))));
  const rate = rate_mean[i] === null ? '' : ` · ${rate_mean[i].toFixed(0)} a minute`;
  const named = episodesAt(position).slice(0, 3).map((episode) => ' · ' + episodes.words(episode)).join('');
  find('#read-out').textContent = `${positionText(position)}${dayText(position)}${rate} · ${abnormal[i]} abnormal of ${
      count[i]} beats here${named}`;
}

function buildOverview() {
  const overview = find('#overview .live'), charts = findAll('#overview .static svg.chart');
  const lane = data.leads.length > 4 ? 46 : 68;  // the height of a lead below the first one
  const draws = data.leads.map((lead, i) => [drawEnvelope(lead), i ? lane : 150]);
  if (facts.rate_panel) draws.push([drawRate, 110]);
  if (episodes) draws.push([drawEpisodes, 14 + kRowPixels * episodes.rows.length, kPlainAxis]);
  draws.push([drawAbnormal, 130 - (timed ? 0 : 20), kCountAxis]);
  charts.forEach((svg, i) => {
    const [draw, height, values] = draws[i];
    timePlot(overview, {height, svg, draw, last: i + 1 === charts.length, values}).lane = draw === drawEpisodes;
  });
  const svg = find('#tachogram .static svg.chart');
  const tachogram = timePlot(find('#tachogram .live'), {height: 210, svg, draw: drawTachogram, last: true});
  tachogram.ring = part(tachogram, 'ring');
  find('#whole').addEventListener('click', () => showStretch(0, facts.length));
  new ResizeObserver(() => {
    for (const plot of timePlots) plot.setSize({width: plot.root.parentNode.clientWidth, height: plot.height});
  }).observe(overview);
  matchMedia('(prefers-color-scheme: dark)')
      .addEventListener('change', () => timePlots.forEach((plot) => plot.redraw()));
}
