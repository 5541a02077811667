// Reads the page's data from the JSON at its end, and gives names to its parts.

const data = JSON.parse(find('#data').textContent);
const {facts, summary, config} = data;
const timed = facts.rate_hz !== null;
const perSecond = data.paper.samples_per_second;  // samples a second; a guess where no rate is known
const unit = timed ? facts.rate_hz : 1;           // samples in one unit of the time axis
const severalLeads = data.leads.length > 1;

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function inflated(text) {
  const bytes = bytesOf(text);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Unpacks an array as pack.h describes it: planes of bytes, zigzag code, and differences where the type says so.
async function unpacked(array) {
  const planes = await Promise.all(array.planes.map((text) => text ? inflated(text) : null));
  if (array.type === 'flags') return planes[0] ?? new Uint8Array(array.count);
  const values = new Int32Array(array.count);
  planes.forEach((plane, byte) => {
    if (plane)
      for (let i = 0; i < values.length; ++i) values[i] |= plane[i] << 8 * byte;
  });
  let last = 0;
  const running = array.type === 'differences';
  for (let i = 0; i < values.length; ++i) {
    const value = (values[i] >>> 1) ^ -(values[i] & 1);
    values[i] = last = running ? (last + value) | 0 : value;
  }
  return values;
}

// Returns the values that whole numbers of steps stand for; NaN where there is none. Equal parts of an array may have
// steps of their own.
function scaled(name, values) {
  const scales = [data.scales[name]].flat(), out = new Float64Array(values.length), length = out.length / scales.length;
  scales.forEach(({offset, step}, part) => {
    for (let i = part * length; i < (part + 1) * length; ++i)
      out[i] = values[i] === facts.none ? NaN : offset + step * values[i];
  });
  return out;
}

// The unpacked arrays by name, once loaded() is done: samples, flags, scores (in hundredths) … Each of data.leads then
// has a label, its least and greatest values, low and high, of bins of `bin` samples, and its strips around the
// gallery's beats.
const arrays = {};

async function loaded() {
  const names = Object.keys(data.arrays);
  const values = await Promise.all(names.map((name) => unpacked(data.arrays[name])));
  names.forEach((name, i) => {
    arrays[name] = data.scales[name] ? scaled(name, values[i]) : values[i];
  });
  delete data.arrays;
  data.leads.forEach((lead, i) => {
    lead.label = shortName(lead.name);
    const end = i ? '_' + i : '', low = arrays['low' + end], span = arrays['span' + end];
    lead.bin = i ? facts.other_bin_samples : facts.bin_samples;  // samples of a bin
    lead.low = low;
    lead.high = span ? low.map((value, bin) => value + span[bin]) : low;
    lead.strips = arrays['strips' + end];
  });
}

// Returns the place of the first value in an ascending array that is not below `least`.
function firstFrom(values, least) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    values[middle] < least ? low = middle + 1 : high = middle;
  }
  return low;
}

const beats = {
  get count() {
    return arrays.samples.length;
  },
  kept: (i) => (arrays.flags[i] & 1) !== 0,
  // It has a score, or a reader has corrected it: it counts.
  scored: (i) => (arrays.flags[i] & 33) !== 0,
  poor: (i) => (arrays.flags[i] & 8) !== 0,
  // The score is above the threshold. Counts are of those in good signal; those in poor signal are counted apart.
  abnormal: (i) => (arrays.flags[i] & 2) !== 0,
  at: (i) => arrays.samples[i] / unit,
  // A supraventricular beat in atrial fibrillation, where no beat is premature: it counts in no table.
  uncounted: (i) => (arrays.flags[i] & 16) !== 0,
  // A reader has corrected it, and so said whether it is abnormal, whatever its score.
  revised: (i) => (arrays.flags[i] & 32) !== 0,
  // N, S, V, F or Q, and the number of its morphology; '' and -1 where there is none.
  beatClass: (i) => arrays.classes?.[i] ? String.fromCharCode(arrays.classes[i]) : '',
  shape: (i) => arrays.shapes ? arrays.shapes[i] - 1 : -1,
  // The place in data.leads of the lead that says most for a beat; -1 where it is unknown.
  lead: (i) => arrays.lead ? arrays.lead[i] - 1 : -1,
  score: (i) => beats.kept(i) ? arrays.scores[i] / 100 : NaN,
  // The intervals to the next beat and from the one before, in the time axis' unit; NaN where beats may be missing.
  next: (i) => i + 1 < beats.count && arrays.flags[i] & 4 ? (arrays.samples[i + 1] - arrays.samples[i]) / unit : NaN,
  before: (i) => i > 0 ? beats.next(i - 1) : NaN,
  // Returns the first beat at or after a sample.
  from: (sample) => firstFrom(arrays.samples, sample),
  nearest(position) {
    const i = beats.from(position * unit);
    if (i === 0) return 0;
    if (i === beats.count) return i - 1;
    return beats.at(i) - position < position - beats.at(i - 1) ? i : i - 1;
  },
};
