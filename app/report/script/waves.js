// Marks P, QRS and T waves in strips, of the beats whose waves the page has: those that it shows at full rate.

const kWaves = [
  {name: 'p', letter: 'P', from: 'p_onset', to: 'p_end'},
  {name: 'qrs', letter: 'QRS', from: 'qrs_onset', to: 'qrs_end'},
  {name: 't', letter: 'T', from: 't_peak', to: 't_end'},
];
const kIntervals = [['PR', 'p_onset', 'qrs_onset'], ['QRS', 'qrs_onset', 'qrs_end'], ['QT', 'qrs_onset', 't_end']];

// Returns the waves [from, to] in samples that reach into a stretch. P waves without a QRS complex are among them.
function wavesIn(first, last) {
  const found = [], near = perSecond;  // a wave is less than a second from its beat
  const add = (wave, from, to) => {    // without the wave these are NaN
    if (from < last && to > first) found.push({wave, from: Math.max(from, first), to: Math.min(to, last)});
  };
  const {wave_beats: numbers = [], non_conducted: lone = [], non_conducted_s: lengths} = arrays;
  for (let k = firstFrom(numbers, beats.from(first - near)); k < numbers.length; ++k) {
    const at = arrays.samples[numbers[k]];
    if (at > last + near) break;
    for (const wave of kWaves) add(wave, at + arrays[wave.from][k] * unit, at + arrays[wave.to][k] * unit);
  }
  for (let k = firstFrom(lone, first - near); k < lone.length && lone[k] < last; ++k)
    add(kWaves[0], lone[k], lone[k] + lengths[k] * unit);
  return found;
}

// Returns a wash over each wave of a strip that begins at the sample `first`. Sizes are in millimetres.
function waveWash(first, seconds, mmPerSecond, height) {
  const spans = wavesIn(first, first + seconds * perSecond);
  const x = (sample) => svgNumber((sample - first) / perSecond * mmPerSecond);
  return kWaves
      .map((wave) => {
        const path = spans.filter((span) => span.wave === wave)
                         .map(({from, to}) => `M${x(from)} 0H${x(to)}V${svgNumber(height)}H${x(from)}z`);
        return path.length ? `<path class="wave wave-${wave.name}" d="${path.join('')}"/>` : '';
      })
      .join('');
}

// Returns the letters of the waves, below the marks of the beats: in the middle of a wave, of a T wave at its peak.
function waveLetters(first, seconds, mmPerSecond) {
  const x = (sample) => svgNumber((sample - first) / perSecond * mmPerSecond);
  const letter = ({wave, from, to}) => `<text class="wave wave-letter" x="${
      x(wave.name === 't' ? from : (from + to) / 2)}" y="272">${wave.letter}</text>`;
  return wavesIn(first, first + seconds * perSecond).map(letter).join('');
}

// Returns the intervals of a beat, such as "PR 162 ms, QRS 94 ms, QT 402 ms"; empty where the page has none.
function waveIntervals(beat) {
  const numbers = arrays.wave_beats ?? [], k = firstFrom(numbers, beat);
  if (numbers[k] !== beat) return '';
  const texts = kIntervals.map(([name, from, to]) => [name, Math.round(1000 * (arrays[to][k] - arrays[from][k]))]);
  return texts.filter(([, ms]) => !Number.isNaN(ms)).map(([name, ms]) => `${name} ${ms} ms`).join(', ');
}
