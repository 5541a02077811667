// Draws the strip: ECG paper with the signal at full rate where the page has it, else with a band from the least to the
// greatest value.

const kMarksHeight = 7;  // millimetres at the top for R peaks and intervals
const kDots = 40;        // units of the drawing in a millimetre
const svgNumber = (value) => Math.round(value * kDots);

// Returns the samples in the middle of the strips that the page has: those of the gallery, and those of findings.
const stripCentres = () => [...data.strip_beats.map((beat) => arrays.samples[beat]), ...data.finding_places];

// Returns the stretches [first, last) of samples that the page has of a lead at full rate, with a function that reads
// them.
function fullRate(lead, first, last) {
  if (lead.bin === 1) {
    const begin = Math.max(first, 0), end = Math.min(last, facts.samples);
    return begin < end ? [{first: begin, last: end, value: (sample) => lead.low[sample]}] : [];
  }
  const length = lead.strip_samples, pieces = [];
  const before = Math.floor(facts.strip_samples / 2) - Math.floor((facts.strip_samples - length) / 2);
  stripCentres().forEach((centre, k) => {
    const start = centre - before;
    const begin = Math.max(first, start, 0), end = Math.min(last, start + length, facts.samples);
    if (begin < end)
      pieces.push({first: begin, last: end, value: (sample) => lead.strips[k * length + sample - start]});
  });
  pieces.sort((a, b) => a.first - b.first);
  const apart = [];
  for (const piece of pieces) {  // strips may overlap: the later one begins where the earlier ends
    const begin = Math.max(piece.first, apart.length ? apart[apart.length - 1].last : first);
    if (begin < piece.last) apart.push({...piece, first: begin});
  }
  return apart;
}

function bandsBetween(pieces, first, last) {
  const bands = [];
  let at = Math.max(first, 0);
  for (const piece of [...pieces, {first: Math.min(last, facts.samples), last}]) {
    if (piece.first > at) bands.push({first: at, last: piece.first});
    at = piece.last;
  }
  return bands;
}

const gainOf = (lead, paper) => lead.mm_per_unit * paper.gain;  // millimetres in a unit of the lead

// Returns one lead's part of a line of the strip, which begins at `first` and is `seconds` long. `above` are the
// millimetres of the height that the signal leaves free for marks, `beyond` those that it may reach over the edges.
function stripLine(first, seconds, paper, {lead, height, above, beyond}) {
  const last = Math.ceil(first + seconds * perSecond), pieces = fullRate(lead, first, last),
        bands = bandsBetween(pieces, first, last), gain = gainOf(lead, paper);
  const {middle} = rangeOf(lead, pieces, bands, (height - above) / gain);
  const x = (sample) => svgNumber((sample - first) / perSecond * paper.mmPerSecond);
  const y = (value) =>
      svgNumber(Math.min(height + beyond, Math.max(-beyond, (height + above) / 2 - gain * (value - middle))));
  let path = '', area = '';
  for (const piece of pieces) {
    let pen = false;
    for (let i = piece.first; i < piece.last; ++i) {
      const value = piece.value(i);
      if (!Number.isNaN(value)) path += `${pen ? 'L' : 'M'}${x(i)} ${y(value)}`;
      pen = !Number.isNaN(value);
    }
  }
  for (const band of bands) area += bandPath(lead, band, x, y);
  return {
    svg: `<path class="band" d="${area}"/><path class="trace" d="${path}"/>`,
    full: bands.length === 0,
    band: pieces.length === 0
  };
}

function bandPath(lead, band, x, y) {
  const bin = lead.bin, begin = Math.floor(band.first / bin),
        end = Math.min(Math.ceil(band.last / bin), lead.low.length);
  const edge = (i) => x(Math.min(Math.max(i * bin, band.first), band.last));
  let path = '', there = '', back = '';
  for (let i = begin; i <= end; ++i) {
    if (i === end || Number.isNaN(lead.low[i])) {  // the end, or a gap
      if (there) path += there + back + 'z';
      there = back = '';
      continue;
    }
    there += `${there ? 'L' : 'M'}${edge(i)} ${y(lead.high[i]) - 4}H${edge(i + 1)}`;
    back = `L${edge(i + 1)} ${y(lead.low[i]) + 4}H${edge(i)}` + back;
  }
  return path;
}

// Returns the span of the values and the value at the middle of the paper. The paper then holds the whole signal or,
// where it is too high for that, its usual values.
function rangeOf(lead, pieces, bands, span) {
  const values = [];
  for (const piece of pieces)
    for (let i = piece.first; i < piece.last; ++i) values.push(piece.value(i));
  for (const band of bands)
    for (let i = Math.floor(band.first / lead.bin); i * lead.bin < band.last; ++i)
      values.push(lead.low[i], lead.high[i]);
  const sorted = Float64Array.from(values.filter((value) => !Number.isNaN(value))).sort();
  if (!sorted.length) return {span: 0, middle: 0};
  const least = sorted[0], greatest = sorted[sorted.length - 1];
  return {
    span: greatest - least,
    middle: greatest - least <= span ? (least + greatest) / 2 : sorted[sorted.length >> 1]
  };
}

// Returns the height of paper that a stretch of a lead needs below the marks, in millimetres and whole squares.
function neededHeight(lead, first, seconds, paper, above) {
  const last = Math.ceil(first + seconds * perSecond), pieces = fullRate(lead, first, last);
  const {span} = rangeOf(lead, pieces, bandsBetween(pieces, first, last), Infinity);
  return 5 * Math.ceil((span * gainOf(lead, paper) + above + 2) / 5);
}

// Returns the lanes of a strip, one below the other: each lead with its height. The marks are above the first.
function lanesOf(leads, first, seconds, paper) {
  const [least, tall] = leads.length === 1 ? [35, 60] : leads.length < 4 ? [15, 40] : [10, 25];
  const most = viewer.forPrint ? Math.max(least, Math.min(tall, Math.floor(150 / leads.length))) : tall;  // one sheet
  return leads.map((lead, i) => {
    const above = i ? 0 : kMarksHeight, more = i || leads.length === 1 ? 0 : 5;
    const height = Math.max(least + more, Math.min(neededHeight(lead, first, seconds, paper, above), most + more));
    return {lead, height, above, beyond: leads.length === 1 ? 5 : height};
  });
}

function paperGrid(width, height) {
  const lines = (apart) => {
    let path = '';
    for (let at = 0; at <= width + 1e-9; at += apart) path += `M${svgNumber(at)} 0V${svgNumber(height)}`;
    for (let at = 0; at <= height + 1e-9; at += apart) path += `M0 ${svgNumber(at)}H${svgNumber(width)}`;
    return path;
  };
  return `<path class="mm1" d="${lines(1)}"/><path class="mm5" d="${lines(5)}"/>`;
}

// Returns the marks at the top: R peaks, the scores of the abnormal ones, and the intervals between them. A score that
// has no room beside the one before is left out, and so is an interval between near marks.
function stripMarks(first, seconds, paper) {
  const kLetter = 55, kRoom = 240;
  let svg = '', written = -Infinity;
  const last = first + seconds * perSecond, x = (sample) => svgNumber((sample - first) / perSecond * paper.mmPerSecond);
  for (let i = beats.from(first); i < beats.count && arrays.samples[i] < last; ++i) {
    const at = x(arrays.samples[i]), kind = beats.abnormal(i) ? 'abnormal' : beats.scored(i) ? 'normal' : 'dropped';
    const {letter: named, mark, isPending, isDeleted} = correctedBeat(i), isPlain = named === 'N' && !isDeleted;
    const letter = isPlain && !mark ? '' : named + mark;
    const css = isDeleted ? ' deleted' : isPending ? ' pending' : '';
    const whole = kind === 'abnormal' ? (letter + ' ' + fixed(beats.score(i), 1)).trim() : letter;
    const text = [whole, letter, ''].find((words) => at - kLetter * words.length / 2 > written || !words);
    if (text) written = at + kLetter * text.length / 2;
    svg += `<g class="beat-mark" data-beat="${i}"><title>${escaped(beatText(i))}</title><path class="hit" d="M${
               at - 40} 0h80v240h-80z"/>` +
        (kind === 'abnormal' ? `<path class="mark abnormal" d="M${at} 115l-40-105h80z"/><text class="score${css}" x="${
                                   at}" y="205">${text}</text>` :
                               `<path class="mark ${kind}" d="M${at} 10v100"/>${
                                   text ? `<text class="kind-letter${css}" x="${at}" y="205">${text}</text>` : ''}`) +
        (isDeleted ? `<path class="mark added" d="M${at - 35} 25l70 70m0-70l-70 70"/>` : '') + '</g>';
    const interval = beats.next(i), next = x(arrays.samples[i + 1]), between = (at + next) / 2;
    if (!Number.isNaN(interval) && next - at > kRoom && between < x(last) - 80)
      svg += `<text class="rr" x="${between}" y="95">${timed ? Math.round(interval * 1000) : interval}</text>`;
  }
  return svg;
}

// Returns a shade over the stretch of a finding or an episode that the reader looks at.
function seenWash(first, seconds, paper, height) {
  const {mark} = selection;
  if (!mark || mark.to <= mark.from) return '';
  const x = (position) => Math.max(
      0,
      Math.min(
          svgNumber((position * unit - first) / perSecond * paper.mmPerSecond),
          svgNumber(seconds * paper.mmPerSecond)));
  return `<rect class="seen-wash" x="${x(mark.from)}" y="0" width="${x(mark.to) - x(mark.from)}" height="${
      svgNumber(height)}"/>`;
}

// Returns a shade over the part of the chosen beat that the model sees.
function chosenWash(first, paper, height) {
  if (selection.beat === null || facts.row_before_s === null) return '';
  const x = (seconds) =>
      svgNumber(((arrays.samples[selection.beat] - first) / perSecond + seconds) * paper.mmPerSecond);
  const left = x(-facts.row_before_s), right = x(facts.row_after_s);
  return `<rect class="chosen-wash" x="${left}" y="0" width="${right - left}" height="${svgNumber(height)}"/>`;
}

function secondTicks(first, seconds, paper, height) {
  let svg = '';
  const start = first / perSecond, every = timed ? 1 : perSecond;
  for (let at = Math.ceil(first / unit / every - 1e-9) * every; at * unit < first + seconds * perSecond; at += every) {
    const x = svgNumber((at * unit / perSecond - start) * paper.mmPerSecond);
    const text = timed ? clock(at) : grouped(at),
          fits = x + 14 + 60 * text.length < svgNumber(seconds * paper.mmPerSecond);
    svg += `<path class="second" d="M${x} ${svgNumber(height)}v-60"/>`;
    if (fits) svg += `<text class="clock" x="${x + 14}" y="${svgNumber(height) - 18}">${text}</text>`;
  }
  return svg;
}

// Returns the name of a lane's lead. That of the lead that says most for the chosen beat is strong.
function leadName({lead, above}) {
  const most = selection.beat !== null && data.leads[beats.lead(selection.beat)] === lead;
  return `<text class="lead-name${most ? ' most' : ''}" x="40" y="${svgNumber(above + 3.2)}">${
      escaped(lead.label)}</text>`;
}

// Returns the SVG of a strip that begins at the sample `first` and is `seconds` long, with its lanes one below the
// other.
function stripSvg(first, seconds, paper, lanes) {
  const width = seconds * paper.mmPerSecond, height = lanes.reduce((sum, lane) => sum + lane.height, 0);
  const lines = lanes.map((lane) => stripLine(first, seconds, paper, lane));
  let top = 0, signal = '';
  lanes.forEach((lane, i) => {
    signal += `<g transform="translate(0 ${svgNumber(top)})">${lines[i].svg}${severalLeads ? leadName(lane) : ''}</g>`;
    top += lane.height;
  });
  const names = severalLeads ? ` in ${escaped(lanes.map(({lead}) => lead.label).join(', '))}` : '';
  const {below, above} = correctionDrawing(first, seconds, paper, height);
  const svg = `<svg class="strip" role="group" aria-label="ECG strip from ${positionText(first / unit, 1)} on, ${
                  seconds} s${names}" width="${width}mm" height="${height}mm" ` +
      `viewBox="0 0 ${svgNumber(width)} ${svgNumber(height)}">${seenWash(first, seconds, paper, height)}${
                  chosenWash(first, paper, height)}${below}${waveWash(first, seconds, paper.mmPerSecond, height)}${
                  paperGrid(width, height)}${signal}` +
      `${secondTicks(first, seconds, paper, height)}${waveLetters(first, seconds, paper.mmPerSecond)}${
                  stripMarks(first, seconds, paper)}${above}</svg>`;
  return {svg, full: lines.every((line) => line.full), band: lines.every((line) => line.band)};
}

// --- The strips of cards

const kCard_s = 3.6;

// Returns a strip around a beat in a lead, for a card: marks without texts, and the beat in the middle.
function cardStrip(lead, beat, height, words) {
  const seconds = kCard_s, first = Math.round(arrays.samples[beat] - seconds / 2 * perSecond);
  const paper = {mmPerSecond: data.paper.mm_per_second, gain: 1}, width = seconds * paper.mmPerSecond;
  let marks = '';
  for (let i = beats.from(first); i < beats.count && arrays.samples[i] < first + seconds * perSecond; ++i) {
    const x = svgNumber((arrays.samples[i] - first) / perSecond * paper.mmPerSecond), chosen = i === beat;
    marks += beats.abnormal(i) ?
        `<path class="mark abnormal" d="M${x} ${chosen ? '128l-52-112h104z' : '88l-36-72h72z'}"/>` :
        `<path class="mark normal" d="M${x} 16v${chosen ? 112 : 72}"/>`;
  }
  const line = stripLine(first, seconds, paper, {lead, height, above: 3, beyond: 0});
  return drawn(
      `<svg class="strip" role="img" aria-label="${escaped(words)}" width="${width}mm" height="${height}mm" ` +
      `viewBox="0 0 ${svgNumber(width)} ${svgNumber(height)}">${waveWash(first, seconds, paper.mmPerSecond, height)}${
          paperGrid(width, height)}${line.svg}${marks}</svg>`);
}

// Returns a height of paper that is enough for nine of ten beats in their leads.
function cardHeight(cards) {
  const paper = {gain: 1},
        heights = cards.map(
            ({lead, beat}) =>
                neededHeight(lead, Math.round(arrays.samples[beat] - kCard_s / 2 * perSecond), kCard_s, paper, 3));
  return Math.max(25, Math.min(heights.sort((a, b) => a - b)[Math.floor(heights.length * 0.9)] ?? 30, 40));
}

// --- The beats of cards: rows of values as lines on one scale. A pixel is 10 units of the drawing.

const kBeatWidth = 340, kBeatMargin = 7;

const endsOf = (rows) => rows.reduce(
    (ends, row) => row.reduce(
        ([low, high], value) => exists(value) ? [Math.min(low, value), Math.max(high, value)] : [low, high], ends),
    [Infinity, -Infinity]);

// Returns the path of a row; y(value) is its place in pixels.
function beatPath(name, values, y) {
  let path = '';
  for (let i = 0; i < values.length; i += 2)
    if (exists(values[i]))
      path += `${path ? 'L' : 'M'}${Math.round(10 * kBeatWidth * i / (values.length - 1))} ${
          Math.round(10 * y(values[i]))}`;
  return `<path class="${name}" d="${path}"/>`;
}

const beatSvg = (height, words, markup) => drawn(`<svg class="beat" role="img" aria-label="${
    escaped(words)}" viewBox="0 0 ${10 * kBeatWidth} ${10 * height}">${markup}</svg>`);
