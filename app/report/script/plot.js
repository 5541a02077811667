// Charts: uPlot has the axes, and a function of each chart draws on the canvas between them.
//
// An axis is {from, to, label, kind, linear, names}. The kinds are 'linear', 'whole' (labels at whole numbers alone),
// 'time' (seconds as on a clock), 'none' (no labels), 'log', 'asinh' (linear around 0 up to about `linear`, logarithmic
// beyond) and 'rows' (a row for each of `names`, the first on top).

const plots = [];
const later = [];  // draws what needs a place on the page

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const kFont = '11.5px system-ui, sans-serif';
const kSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

const timeAxis = () => timed ?
    {from: 0, to: facts.length, kind: 'time', label: facts.length >= 3600 ? 'time, h:min' : 'time, min:s'} :
    {from: 0, to: facts.length, kind: 'whole', label: 'sample'};

// A long recording has hours on its axis, and seconds behind the minutes where they are needed.
function clockText(value, step) {
  if (facts.length < 3600) return clock(value, step < 1 ? 1 : 0);
  if (step < 60) return (value < 3600 ? (value < 600 ? '0:0' : '0:') : '') + clock(value, step < 1 ? 1 : 0);
  return hoursMinutes(value);
}

function tickText(value, step, kind) {
  if (value === null) return '';
  if (kind === 'time') return clockText(value, step);
  if (kind === 'log' || kind === 'asinh')
    return Math.abs(value) >= 1000 ? signed(grouped(value)) : significant(value, 2);
  const decimals = (String(Number(step.toPrecision(6))).split('.')[1] ?? '').length;
  return Math.abs(value) >= 9999.5 ? signed(grouped(value)) : fixed(value, decimals);
}

// Returns uPlot's description of an axis. `bare` leaves out labels, which the chart below has.
function uplotAxis({kind, label, names}, side, bare) {
  const bottom = side === 2, axis = {
    side,
    size: bottom ? (bare ? 6 : 24) :
        names    ? 88 :
                   52,
    gap: bottom ? 5 : 6,
    stroke: () => colour('muted'),
    grid: {show: !names, stroke: () => colour('subtle'), width: 1},
    ticks: {show: false},
    font: kFont,
    labelFont: kFont,
    label: bottom && !bare ? label : undefined,
    labelSize: bottom && !bare ? 18 : 0,
    space: kind === 'time' ? 90 :
        bottom             ? 50 :
                             30,
    values: (plot, values, at, space, step) => {
      if (kind === 'time' && !bare && facts.length >= 3600) plot.axes[at].label = label + (step < 60 ? ':s' : '');
      return values.map((value) => bare ? '' : tickText(value, step, kind));
    },
  };
  if (kind === 'time') axis.incrs = [0.1, 0.2, 0.5, ...kSteps];
  if (kind === 'whole')
    axis.incrs = [1, 2, 5].flatMap((step) => [...Array(9)].map((_, i) => step * 10 ** i)).sort((a, b) => a - b);
  if (kind === 'none') Object.assign(axis, {values: () => [], grid: {show: false}});
  if (names) {
    axis.splits = () => names.map((_, i) => names.length - i - 0.5).reverse();
    axis.values = () => names.map((name) => name.length > 12 ? name.slice(0, 11) + '…' : name).reverse();
  }
  return axis;
}

const kScales = {
  log: {distr: 3},
  asinh: {distr: 4}
};

// Draws a chart into an element of the page. `draw` is called with a pen (below). `options` are uPlot's own.
function newPlot(host, {x, y, height, draw, bare, description, options = {}}) {
  const box = node('div.plot', {role: 'img', 'aria-label': description});
  if (y.label) box.append(node('div.plot-label', {}, y.label));
  host.append(box);
  const plot =
      new uPlot(
          {
            width: box.clientWidth,
            height,
            legend: {show: false},
            padding: [8, 24, 0, 0],
            axes: [uplotAxis(x, 2, bare), uplotAxis(y, 3)],
            series: [{}, {paths: () => null, points: {show: false}}],
            ...options,
            cursor: {drag: {x: false, y: false, setScale: false}, points: {show: false}, y: false, ...options.cursor},
            scales: {
              x: {
                time: false,
                ...(options.movable ? {min: x.from, max: x.to} : {range: [x.from, x.to]}),
                ...kScales[x.kind],
                asinh: x.linear
              },
              y: {range: [y.from, y.to], ...kScales[y.kind], asinh: y.linear},
            },
            hooks: {draw: [(plot) => inPlot(plot, draw)], ...options.hooks},
          },
          [[x.from, x.to], [y.from, y.to]], box);
  plots.push(plot);
  return plot;
}

// Returns an element that will hold a chart once it is on the page. `title` shows what is under the pointer.
function chart(description, {title, pick, ...parts}) {
  const host = node('div.chart');
  later.push(() => {
    const hooks = title && {
      setCursor: [({over, cursor, posToVal}) => {
        over.title = cursor.left < 0 ? '' : title(posToVal(cursor.left, 'x'), posToVal(cursor.top, 'y')) ?? '';
      }]
    };
    const plot = newPlot(host, {...parts, description, options: {hooks}});
    if (pick) buildPick(plot, pick);
    host.plot = plot;
  });
  return host;
}

// --- Pens

// A pen draws in the values of the axes, cut off at these. Sizes are CSS pixels.
class Pen {
  constructor(plot) {
    this.plot = plot;
    this.ctx = plot.ctx;
    this.box = plot.bbox;
    this.pixel = devicePixelRatio;
  }
  x(value) {
    return this.plot.valToPos(value, 'x', true);
  }
  y(value) {
    return this.plot.valToPos(value, 'y', true);
  }
  // Returns a place that is no further out than the edges: that of an outlier.
  inside([x, y]) {
    const {left, top, width, height} = this.box;
    return [Math.max(left, Math.min(left + width, this.x(x))), Math.max(top, Math.min(top + height, this.y(y)))];
  }
  // Draws a line through points, broken where one has no value.
  line(points, name, {width = 1.4, dash = []} = {}) {
    const {ctx} = this;
    ctx.strokeStyle = colour(name);
    ctx.lineWidth = width * this.pixel;
    ctx.lineJoin = ctx.lineCap = 'round';
    ctx.setLineDash(dash.map((length) => length * this.pixel));
    ctx.beginPath();
    let pen = false;
    for (const [x, y] of points) {
      if (exists(y)) ctx[pen ? 'lineTo' : 'moveTo'](this.x(x), this.y(y));
      pen = exists(y);
    }
    ctx.stroke();
    ctx.setLineDash([]);
  }
  // Fills the band between two values of neighbouring points [x, low, high].
  band(points, name, opacity) {
    this.ctx.fillStyle = colour(name);
    this.ctx.globalAlpha = opacity;
    for (let i = 0; i + 1 < points.length; ++i) {
      const [[x, low, high], [next, nextLow, nextHigh]] = [points[i], points[i + 1]];
      if (![low, high, nextLow, nextHigh].every(exists)) continue;
      this.ctx.beginPath();
      for (const corner of [[x, high], [next, nextHigh], [next, nextLow], [x, low]])
        this.ctx.lineTo(this.x(corner[0]), this.y(corner[1]));
      this.ctx.fill();
    }
    this.ctx.globalAlpha = 1;
  }
  // A bar is at least `least` pixels wide, so that it is seen.
  bar(from, to, low, high, name, least = 1) {
    const left = this.x(from), top = this.y(high), wide = this.x(to) - left;
    this.ctx.fillStyle = colour(name);
    this.ctx.fillRect(left, top, Math.max(least * this.pixel, wide - (wide > 3 ? 0.6 : 0)), this.y(low) - top);
  }
  // Draws squares around points; one a pixel is enough.
  dots(points, name, size, opacity = 1) {
    const {ctx, box} = this, side = size * this.pixel, rows = Math.ceil(box.height + 2);
    const taken = new Uint8Array(Math.ceil(box.width + 2) * rows);
    ctx.fillStyle = colour(name);
    ctx.globalAlpha = opacity;
    for (const point of points) {
      if (!exists(point[0]) || !exists(point[1])) continue;
      const [x, y] = this.inside(point), place = Math.round(x - box.left) * rows + Math.round(y - box.top);
      if (taken[place]) continue;
      taken[place] = 1;
      ctx.fillRect(x - side / 2, y - side / 2, side, side);
    }
    ctx.globalAlpha = 1;
  }
  // Draws a rule at a value of an axis ('x' or 'y'), with words.
  rule(axis, at, name, words = '', dash = []) {
    const {ctx, box} = this, upright = axis === 'x', place = upright ? this.x(at) : this.y(at);
    ctx.strokeStyle = ctx.fillStyle = colour(name);
    ctx.lineWidth = 1.4 * this.pixel;
    ctx.setLineDash(dash.map((length) => length * this.pixel));
    ctx.beginPath();
    ctx.moveTo(upright ? place : box.left, upright ? box.top : place);
    ctx.lineTo(upright ? place : box.left + box.width, upright ? box.top + box.height : place);
    ctx.stroke();
    ctx.setLineDash([]);
    const turn = !upright || place > box.left + box.width / 2;
    this.text(
        words, upright ? place + (turn ? -5 : 5) * this.pixel : box.left + box.width - 4 * this.pixel,
        upright ? box.top + 8 * this.pixel : place + 10 * this.pixel, turn ? 'right' : 'left', name);
  }
  text(words, x, y, align = 'left', name = 'ink') {
    const {ctx} = this;
    ctx.font = `${11 * this.pixel}px system-ui, sans-serif`;
    ctx.textBaseline = 'middle';
    ctx.textAlign = align;
    ctx.fillStyle = colour(name);
    ctx.fillText(words, x, y);
  }
  // Draws points as hexagons, in a stronger colour where there are more of them. `size` is the width of one.
  density(points, name, size) {
    const {ctx, box} = this, width = size * this.pixel, height = width * Math.sqrt(0.75), counts = new Map();
    const centre = (x, y, row) => {
      const shift = row % 2 ? 0.5 : 0, column = Math.round(x / width - shift);
      return [(column + shift) * width, row * height];
    };
    for (const point of points) {
      if (!exists(point[0]) || !exists(point[1])) continue;
      const [left, top] = this.inside(point), x = left - box.left, y = top - box.top, row = Math.floor(y / height);
      const [near] = [centre(x, y, row), centre(x, y, row + 1)].sort(
          (a, b) => Math.hypot(a[0] - x, a[1] - y) - Math.hypot(b[0] - x, b[1] - y));
      const key = near.join();
      counts.set(key, [near, (counts.get(key)?.[1] ?? 0) + 1]);
    }
    const most = Math.log1p(Math.max(...[...counts.values()].map(([, count]) => count)));
    ctx.fillStyle = colour(name);
    for (const [[x, y], count] of counts.values()) {
      ctx.globalAlpha = 0.2 + 0.8 * Math.log1p(count) / most;
      ctx.beginPath();
      for (let corner = 0; corner < 6; ++corner) {
        const angle = Math.PI * (corner / 3 + 1 / 6), radius = width / Math.sqrt(3);
        ctx.lineTo(box.left + x + radius * Math.cos(angle), box.top + y + radius * Math.sin(angle));
      }
      ctx.fill();
    }
    ctx.globalAlpha = 1;
  }
}

// Calls `draw` with the canvas cut off at the axes.
function inPlot(plot, draw) {
  const {ctx, bbox} = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(new Pen(plot));
  ctx.restore();
}

// --- Ranges

// Returns the range of the values, with a small margin, without the lowest and the highest `apart` (a share) of them.
// Of many values some are taken that lie without any order: every n-th one may miss the peaks of a steady rhythm.
function valueRange(values, apart = 0) {
  const kEnough = 1 << 14, some = [];
  let from = Infinity, to = -Infinity;
  if (apart === 0) {
    for (const value of values)
      if (exists(value)) [from, to] = [Math.min(from, value), Math.max(to, value)];
  } else {
    const all = values.length <= kEnough;
    for (let i = 0; i < Math.min(values.length, kEnough); ++i) {
      const value = values[all ? i : (Math.imul(i + 1, 0x9e3779b1) >>> 0) % values.length];
      if (exists(value)) some.push(value);
    }
    const sorted = Float64Array.from(some).sort(), last = sorted.length - 1;
    if (some.length) [from, to] = [sorted[Math.round(last * apart)], sorted[Math.round(last * (1 - apart))]];
  }
  if (from > to) return {from: 0, to: 1};
  const margin = Math.max(0.05 * (to - from), 1e-6 * Math.max(Math.abs(from), 1e-30));
  return {from: from - margin, to: to + margin};
}

// Returns the ends of a signal's axis: all of the signal or, where a few artifacts reach more than twice as far as
// everything else, the signal without them; that is cut off.
function signalRange({low, high}) {
  const ends = (apart) => ({from: valueRange(low, apart).from, to: valueRange(high, apart).to});
  const all = ends(0), usual = ends(2e-3), cut = all.to - all.from > 2 * (usual.to - usual.from);
  return {...(cut ? usual : all), cut};
}

// --- Sizes and colours

function fitPlots() {
  for (const plot of plots) {
    const width = plot.root.parentNode.clientWidth;
    if (width) plot.setSize({width, height: plot.height});
  }
}

function buildPlots() {
  for (const draw of later) draw();
  new ResizeObserver(fitPlots).observe(find('main'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', fitPlots);
}
