// What was found: the episodes by severity, the beats of each class, heart rates, and what is undetermined.

const kLeastForAf_s = 30;
const kRateIntervals = 8;  // the slowest and the fastest rate are means over so many RR intervals in a row
const kFewBeats = 50;      // with fewer in good signal, what is dominant is a guess

const placeOf = (label) => {
  const place = data.labels.findIndex(([name]) => name === label);
  return place < 0 ? data.labels.length : place;
};
const wordsOf = (label) => data.labels[placeOf(label)]?.[1] ?? label;
const groupOf = (label) => data.labels[placeOf(label)]?.[2] ?? 'other';

// The episodes in order of time. A pause and an asystole of the same interval are one: the asystole.
let episodes = [];

function findEpisodes() {
  if (!data.episodes) return;
  const {labels, qualities} = data.episodes;
  const value = (number) => number < 0 ? null : number;
  let from = 0;
  const all = Array.from(arrays.episode_label, (label, i) => {
    from = arrays.episode_from[i] / 1000;
    const confidence = value(arrays.episode_confidence[i] / 1000);
    return {
      from,
      to: from + arrays.episode_length[i] / 1000,
      label: labels[label],
      beats: arrays.episode_beats[i],
      rate: value(arrays.episode_rate[i] / 10),
      confidence,
      quality: qualities[arrays.episode_quality[i]],
      isLow: confidence !== null && confidence < kLowConfidence,
    };
  });
  const silent = all.filter(({label}) => label === 'ASYS');
  episodes =
      all.filter((one) => one.label !== 'PAUSE' || !silent.some((other) => other.from < one.to && other.to > one.from));
}

const sure = ({label, isLow}) => label + (isLow ? '?' : '');
const labelChip = (episode) => node('span.label.' + groupOf(episode.label), {}, sure(episode) + (episode.mark ?? ''));
const episodeText = (one) =>
    `${wordsOf(one.label)}${one.isLow ? '?' : ''}, ${positionText(one.from, 1)} – ${positionText(one.to, 1)}`;

const isFibrillation = ({label}) => label === 'VF' || label === 'VFL';
const afAssessed_s = () => summary.findings?.af?.assessed_s ?? facts.length;
const isAfAssessed = () => data.episodes !== null &&
    (episodes.some(({label}) => label === 'AFIB') || afAssessed_s() >= kLeastForAf_s);

// --- Episodes by label

const totalOf = (list) => list.reduce((sum, {from, to}) => sum + to - from, 0);
const longestOf = (list) =>
    list.reduce((best, one) => best && best.to - best.from >= one.to - one.from ? best : one, null);
const tenths = (seconds) => duration(seconds < 60 ? Math.round(10 * seconds) / 10 : seconds);

// Says how many episodes of a label there are: short ones by their number, long ones by their time.
function episodeWords(label, list) {
  const longest = longestOf(list), length = longest.to - longest.from, seconds = totalOf(list);
  const times = list.length === 1 ? '' : ` ${grouped(list.length)} times`;
  if (label === 'PAUSE' || label === 'ASYS') {
    if (list.length === 1) return `${wordsOf(label)} ${label === 'ASYS' ? 'for' : 'of'} ${fixed(length, 1)} s`;
    return `${grouped(list.length)} ${label === 'PAUSE' ? 'pauses' : 'times asystole'}, the longest ${
        fixed(length, 1)} s`;
  }
  if (['VT', 'SVT', 'IVR'].includes(label)) {
    const rate = longest.rate === null ? '' : ` at ${fixed(longest.rate, 0)} a minute`;
    return wordsOf(label) + times + (list.length === 1 ? ', ' : ', the longest ') +
        (longest.beats ? counted(longest.beats, 'beat') : tenths(length)) + rate;
  }
  const assessed = Math.max(afAssessed_s(), seconds);
  const share = label !== 'AFIB' ?
      '' :
      ` (${percent(seconds / assessed)} of the ${assessed >= 0.995 * facts.length ? 'recording' : 'classified time'})`;
  return wordsOf(label) + times + (list.length === 1 ? ' for ' : ', in all ') + tenths(seconds) + share;
}

// Returns the findings {label, isLow, words, from, to}, the most severe first: episodes in good signal, then those in
// poor signal, then whether there was atrial fibrillation, and the longest interval where there was no pause. VF and
// VFL leave the signal no rest, so that it is never good there.
function findingsOf() {
  const findings = [];
  const isGood = (one) => !one.quality || one.quality === 'good' || isFibrillation(one);
  for (const good of [true, false])
    for (const [label, , group] of data.labels) {
      const list = episodes.filter((one) => one.label === label && isGood(one) === good);
      if (!list.length || group === 'signal' || label === 'V2') continue;  // these are reported elsewhere
      const {from, to} = longestOf(list), seconds = totalOf(list);
      const certain = list.reduce((sum, one) => sum + (one.to - one.from) * (one.confidence ?? 1), 0);
      const confidence = seconds ? certain / seconds : 1, isLow = confidence < kLowConfidence;
      findings.push({
        label,
        isLow,
        from,
        to,
        words: (good ? '' : 'in poor signal: ') + episodeWords(label, list) +
            (isLow ? `, low confidence (${fixed(confidence, 2)})` : ''),
      });
    }
  if (!episodes.some(({label}) => label === 'AFIB') && isAfAssessed())
    findings.push({words: 'no atrial fibrillation found'});
  const longest = timed && !episodes.some(({label}) => groupOf(label) === 'pause') ? longestInterval() : -1;
  if (longest >= 0)
    findings.push({
      words: `longest interval between beats ${fixed(beats.next(longest), 1)} s`,
      from: beats.at(longest),
      to: beats.at(longest + 1)
    });
  return findings;
}

// --- Beats and the intervals between them

// Says of each beat whether it lies in ventricular fibrillation or flutter, in which beats are not reported.
function beatsInFibrillation() {
  const inside = new Uint8Array(beats.count);
  for (const {from, to} of episodes.filter(isFibrillation))
    for (let i = beats.from(from * unit); i < beats.count && beats.at(i) <= to; ++i) inside[i] = 1;
  return inside;
}

// Says of each interval, which follows its beat, whether part of it is ventricular fibrillation or flutter.
function intervalsInFibrillation() {
  const inside = new Uint8Array(beats.count);
  for (const {from, to} of episodes.filter(isFibrillation))
    for (let i = Math.max(beats.from(from * unit), 1) - 1; i + 1 < beats.count && beats.at(i) < to; ++i)
      if (beats.at(i + 1) > from) inside[i] = 1;
  return inside;
}

function longestInterval() {
  const leftOut = intervalsInFibrillation();
  let longest = -1;
  for (let i = 0; i + 1 < beats.count; ++i)
    if (!leftOut[i] && (longest < 0 ? exists(beats.next(i)) : beats.next(i) > beats.next(longest))) longest = i;
  return longest;
}

// Returns how the beats of a class stand together: alone, in couplets, and in runs of three and more. They follow each
// other by the rule of the episodes V2, VT and IVR: the interval between them is that of a rhythm, and no part of it is
// fibrillation or flutter. `longest` and `fastest` are runs {first, beats, rate}; null where there is none.
function runsOf(letter) {
  const limits = config.episodes ?? {}, leftOut = beatsInFibrillation(), hidden = intervalsInFibrillation();
  const isLinked = (i) =>
      !hidden[i] && beats.next(i) >= (limits.shortest_rr_s ?? 0.2) && beats.next(i) <= (limits.longest_rr_s ?? 3);
  const is = (i) => i < beats.count && beats.beatClass(i) === letter && !beats.uncounted(i);
  const runs = {
    beats: 0,
    inFibrillation: 0,
    uncounted: 0,
    alone: 0,
    couplets: 0,
    runs: 0,
    poor: 0,
    longest: null,
    fastest: null
  };
  for (let i = 0; i < beats.count; ++i) {
    runs.uncounted += beats.beatClass(i) === letter && beats.uncounted(i);
    if (!is(i)) continue;
    const first = i;
    if (leftOut[i]) {
      ++runs.inFibrillation;
    } else {
      while (is(i + 1) && isLinked(i) && !leftOut[i + 1]) ++i;
      const count = i - first + 1;
      if (count === 1) ++runs.alone;
      if (count === 2) ++runs.couplets;
      if (count > 2) {
        const run = {first, beats: count, rate: 60 * (count - 1) / (beats.at(i) - beats.at(first))};
        ++runs.runs;
        if (!runs.longest || count > runs.longest.beats) runs.longest = run;
        if (!runs.fastest || run.rate > runs.fastest.rate) runs.fastest = run;
      }
    }
    for (let k = first; k <= i; ++k) runs.poor += beats.poor(k);
    runs.beats += i - first + 1;
  }
  return runs;
}

// --- Windows of the recording

// Returns the least round width that gives at most `most` windows.
function windowWidth(most) {
  const least = facts.length / most;
  if (timed) {
    if (facts.length < 60 && least <= 1) return 1;
    return [10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600].find((width) => width >= least) ??
        3600 * Math.ceil(least / 3600);
  }
  for (let power = 1;; power *= 10)
    for (const factor of [1, 2, 5])
      if (factor * power >= least) return factor * power;
}

// Returns equal windows with their beats, those of each class, the abnormal ones, heart rates and shares of atrial
// fibrillation and poor signal. Rates are null where there is none. `slow` and `fast` are where the slowest and the
// fastest kRateIntervals begin.
function windowsOf(width) {
  const count = Math.max(1, Math.ceil(facts.length / width - 1e-9));
  const windows = Array.from({length: count}, (_, i) => ({
                                                from: i * width,
                                                to: Math.min((i + 1) * width, facts.length),
                                                beats: 0,
                                                scored: 0,
                                                abnormal: 0,
                                                classes: {},
                                                mean: null,
                                                slowest: null,
                                                fastest: null,
                                                af: 0,
                                                afIsLow: false,
                                                poor: 0,
                                                seconds: 0,
                                                intervals: 0,
                                              }));
  const at = (position) => windows[Math.min(Math.floor(position / width), count - 1)];
  let sum = 0, inRow = 0;
  for (let i = 0; i < beats.count; ++i) {
    const window = at(beats.at(i)), rr = beats.next(i), letter = beats.beatClass(i);
    ++window.beats;
    window.scored += beats.kept(i) && !beats.poor(i);
    window.abnormal += beats.abnormal(i) && !beats.poor(i);
    if (!beats.uncounted(i)) window.classes[letter] = (window.classes[letter] ?? 0) + 1;
    if (!timed) continue;
    if (!exists(rr)) {
      sum = inRow = 0;
      continue;
    }
    window.seconds += rr;
    ++window.intervals;
    sum += rr;
    if (++inRow > kRateIntervals) sum -= beats.next(i - kRateIntervals);
    if (inRow < kRateIntervals) continue;
    const middle = at(beats.at(i - kRateIntervals / 2)), rate = 60 * kRateIntervals / sum,
          begin = i - kRateIntervals + 1;
    if (middle.slowest === null || rate < middle.slowest) [middle.slowest, middle.slow] = [rate, beats.at(begin)];
    if (middle.fastest === null || rate > middle.fastest) [middle.fastest, middle.fast] = [rate, beats.at(begin)];
  }
  for (const window of windows) {
    window.mean = window.seconds > 0 ? 60 * window.intervals / window.seconds : null;
    if (window.intervals < kRateIntervals) window.slowest = window.fastest = null;  // they are of other windows, too
  }
  const addShare = (from, to, add) => {
    for (let i = Math.floor(from / width); i < count && windows[i].from < to; ++i) {
      const {from: begin, to: end} = windows[i];
      add(windows[i], Math.max(0, Math.min(to, end) - Math.max(from, begin)) / (end - begin));
    }
  };
  for (const [from, to] of data.poor) addShare(from, to, (window, share) => window.poor += share);
  for (const {from, to, label, isLow} of episodes)
    if (label === 'AFIB')
      addShare(from, to, (window, share) => {
        window.af += share;
        window.afIsLow ||= isLow;
      });
  return windows;
}

// --- What is undetermined, in a sentence for each question

function undetermined() {
  const sentences = [];
  let good = 0, unknown = 0, paced = 0;
  for (let i = 0; i < beats.count; ++i) {
    good += beats.kept(i) && !beats.poor(i);
    unknown += beats.beatClass(i) === 'Q';
    paced += beats.beatClass(i) === 'Q' && data.templates[beats.shape(i)]?.paced === 'ventricles';
  }
  if (good < kFewBeats)
    sentences.push(
        `With few beats (${grouped(good)} in good signal) the dominant morphology is uncertain: if all beats are ` +
        'abnormal in shape, that shape counts as dominant.');
  const hasAf = episodes.some(({label}) => label === 'AFIB'), share = afAssessed_s() / facts.length;
  if (timed && facts.length < kLeastForAf_s && !hasAf)
    sentences.push(`Atrial fibrillation: ${duration(facts.length)} is too short to exclude it.`);
  else if (!data.episodes)
    sentences.push('The rhythm was not analysed: this result has no episodes.csv.');
  else if (share < 0.9)
    sentences.push(`Atrial fibrillation was looked for in ${percent(share)} of the recording.`);
  if (unknown) {
    const artifacts = unknown - paced;
    sentences.push(
        `${counted(unknown, 'beat is', 'beats are')} unclassified (Q): ` + listed([
          paced ? grouped(paced) + ' paced in the ventricles' : '',
          artifacts ? counted(artifacts, 'probable artifact') : ''
        ].filter(Boolean)) +
        '.');
  }
  const poor = data.poor.reduce((sum, [from, to]) => sum + to - from, 0) / facts.length;
  if (poor >= 0.005)
    sentences.push(`${percent(poor)} of the recording is poor signal and may hide beats and episodes.`);
  return sentences;
}
