// Corrections by a reader: classes of beats and of morphologies, deleted and added beats, noise, and episodes. Strip,
// cards and tables show them at once. Counts stay those of the analysis, until `beatscan revise` recomputes them from
// corrections.json, which is saved here. The tools for it are in correct.js.

const kCorrectionLists = ['beats', 'templates', 'noise', 'episodes'];  // in the file's order, as are the keys
const kCorrectionKeys = ['time_s', 'action', 'beat_class', 'label', 'from_s', 'to_s', 'verdict'];
const kVerdicts = ['confirmed', 'rejected', 'added'];
const kMatch_s = 0.15;  // a time means the nearest beat that is at most so far away: the tolerance of EC57

const corrections = {
  list: [],           // {part, one}: an entry, and the list of the file that it is in
  before: [],         // the lists before each change, for undo
  beats: new Map(),   // entries by the number of their beat
  shapes: new Map(),  // classes by the number of their morphology
  place: null,        // {what, from}: what the next clicks into the signal place
  note: '',
  isKept: true,  // the browser keeps the list
};

// A result without a sampling rate, or without classes, cannot be corrected.
const canCorrect = () => timed && Boolean(arrays.classes);
const roundedTime = (seconds) => Number(seconds.toFixed(6));
const timeOf = ({one}) => one.time_s ?? one.from_s;
const keyOf = ({part, one}) => [part, one.label ?? '', timeOf({one}), one.to_s ?? ''].join(' ');

// Returns the beat that a time of the file means; -1 without one.
function beatAt(time_s) {
  const i = beats.nearest(time_s);
  return Math.abs(beats.at(i) - time_s) <= kMatch_s ? i : -1;
}

const beatEntry = (beat, change) => ({part: 'beats', one: {time_s: roundedTime(beats.at(beat)), ...change}});
const addedBeat = (time_s, letter) => ({part: 'beats', one: {time_s, action: 'insert', beat_class: letter}});

// Returns the correction of a morphology, which stands at its most typical beat.
function templateEntry(k, letter) {
  const {typical} = data.templates[k], beat = typical >= 0 ? typical : arrays.shapes.indexOf(k + 1);
  return {part: 'templates', one: {time_s: roundedTime(beats.at(beat)), beat_class: letter}};
}

const episodeEntry = (label, from, to, verdict) =>
    ({part: 'episodes', one: {label, from_s: roundedTime(from), to_s: roundedTime(to), verdict}});

// --- Changing the list

// Replaces the corrections with these keys by others.
function replaceCorrections(keys, entries = []) {
  const old = new Set(keys);
  corrections.before.push(corrections.list);
  corrections.list = [...corrections.list.filter((one) => !old.has(keyOf(one))), ...entries];
  corrections.note = '';
  keepCorrections();
  showCorrections();
}

// Adds corrections, in place of those of the same beats, morphologies and stretches.
const addCorrections = (entries) => replaceCorrections(entries.map(keyOf), entries);

function undoCorrection() {
  if (!corrections.before.length) return;
  corrections.list = corrections.before.pop();
  corrections.note = '';
  keepCorrections();
  showCorrections();
}

function indexCorrections() {
  corrections.beats.clear();
  corrections.shapes.clear();
  for (const {part, one} of corrections.list) {
    const beat = part === 'noise' || part === 'episodes' || one.action === 'insert' ? -1 : beatAt(one.time_s);
    if (beat < 0) continue;
    if (part === 'beats')
      corrections.beats.set(beat, one);
    else if (beats.shape(beat) >= 0)
      corrections.shapes.set(beats.shape(beat), one.beat_class);
  }
}

// Returns the class of a beat without a correction of its own.
const classOfShape = (beat) => corrections.shapes.get(beats.shape(beat)) ?? beats.beatClass(beat);

// Returns a beat as it is corrected: its class, a mark that stands behind a corrected class, and whether it is deleted.
function correctedBeat(beat) {
  const one = corrections.beats.get(beat), letter = one?.beat_class ?? classOfShape(beat);
  const isPending = letter !== beats.beatClass(beat), isDeleted = one?.action === 'delete';
  return {letter, isPending, isDeleted, mark: isPending || beats.revised(beat) ? '*' : ''};
}

// --- Words

function correctionWords({part, one}) {
  const at = clock(timeOf({one}), 2), beat = part === 'beats' || part === 'templates' ? beatAt(one.time_s) : -1;
  if (part === 'noise') return `Noise, ${at} – ${clock(one.to_s, 2)}`;
  if (part === 'episodes') return `${one.label}, ${at} – ${clock(one.to_s, 2)}: ${one.verdict}`;
  if (one.action === 'insert') return `Beat at ${at}: added, class ${one.beat_class}`;
  if (beat < 0) return `Beat at ${at}: there is none`;
  if (part === 'templates')
    return `Morphology ${beats.shape(beat)}: class ${one.beat_class} for ${
        counted(data.templates[beats.shape(beat)]?.beats, 'beat')}`;
  return `Beat at ${at}: ` +
      (one.action === 'delete' ? 'deleted' : `class ${one.beat_class} instead of ${beats.beatClass(beat)}`);
}

// Says how a beat was corrected; empty where it was not.
function correctedWords(beat) {
  const {letter, isPending, isDeleted} = correctedBeat(beat);
  if (isDeleted) return 'deleted by a correction';
  if (isPending) return `corrected to class ${letter}`;
  return beats.revised(beat) ? 'corrected by a reader' : '';
}

// --- The file

function correctionsText() {
  const {path, sha256, samples} = summary.input, file = {format: 'beatscan corrections', version: 1};
  file.recording = {name: (path ?? '').split(/[\\/]/).pop(), sha256, samples, rate_hz: facts.rate_hz};
  for (const part of kCorrectionLists) {
    const list = corrections.list.filter((entry) => entry.part === part).sort((a, b) => timeOf(a) - timeOf(b));
    if (list.length) file[part] = list.map(({one}) => one);
  }
  return JSON.stringify(file, null, 1) + '\n';
}

// Returns what an entry of a file lacks; '' where it is as it must be.
function lackOf(part, one) {
  const isClass = Object.hasOwn(kClassNames, one.beat_class ?? '');
  if (part === 'beats' || part === 'templates') {
    if (!exists(one.time_s)) return 'time_s must be a number of seconds';
    const isAction = part === 'beats' && ['delete', 'insert'].includes(one.action);
    if (one.action !== undefined && !isAction) return 'action must be delete or insert';
    return isClass || one.action === 'delete' ? '' : 'beat_class must be N, S, V, F or Q';
  }
  if (!(exists(one.from_s) && exists(one.to_s) && one.from_s < one.to_s)) return 'from_s must be before to_s';
  if (part === 'noise') return '';
  if (typeof one.label !== 'string') return 'label must be that of an episode';
  return kVerdicts.includes(one.verdict) ? '' : 'verdict must be confirmed, rejected or added';
}

// Returns the entries of a file; throws what is wrong with it. A time becomes that of the beat which it means.
function entriesOf(text) {
  const file = JSON.parse(text) ?? {}, {name, sha256} = file.recording ?? {};
  if (file.format !== 'beatscan corrections' || file.version !== 1)
    throw new Error('it is no file of corrections of version 1');
  if (sha256 && sha256 !== summary.input.sha256) throw new Error(`it is of another recording, ${name}`);
  for (const part of kCorrectionLists)
    if (!Array.isArray(file[part] ?? [])) throw new Error(`${part} must be a list`);
  return kCorrectionLists.flatMap((part) => (file[part] ?? []).map((given, i) => {
    const lack = lackOf(part, given ?? {});
    if (lack) throw new Error(`${part}[${i}]: ${lack}`);
    const one = Object.fromEntries(kCorrectionKeys.filter((key) => key in given).map((key) => [key, given[key]]));
    const beat = exists(one.time_s) && one.action !== 'insert' ? beatAt(one.time_s) : -1;
    if (beat < 0) return {part, one};
    return part === 'templates' && beats.shape(beat) >= 0 ? templateEntry(beats.shape(beat), one.beat_class) :
                                                            {part, one: {...one, time_s: roundedTime(beats.at(beat))}};
  }));
}

async function loadCorrections(file) {
  try {
    addCorrections(entriesOf(await file.text()));
  } catch (error) {
    corrections.note = `${file.name}: ${error.message}.`;
    showBar();
  }
}

// --- What the browser keeps

const storageName = () => 'beatscan corrections ' + summary.input.sha256;

// Keeps the corrections in the browser, which may refuse to.
function keepCorrections() {
  try {
    corrections.list.length ? localStorage.setItem(storageName(), correctionsText()) :
                              localStorage.removeItem(storageName());
    corrections.isKept = Boolean(summary.input.sha256);
  } catch {
    corrections.isKept = false;
  }
}

// Says whether a correction is in this result already, because the result was revised with it.
function isApplied({part, one}) {
  const beat = exists(one.time_s) ? beatAt(one.time_s) : -1;
  if (one.action === 'delete') return beat < 0;
  if (exists(one.time_s)) return beat >= 0 && beats.beatClass(beat) === one.beat_class;
  const middle = (one.from_s + one.to_s) / 2, holds = (from, to) => from <= middle && middle <= to;
  if (part === 'noise') return data.poor.some(([from, to]) => holds(from, to));
  return episodes.some(({label, from, to}) => label === one.label && holds(from, to)) === (one.verdict !== 'rejected');
}

function restoreCorrections() {
  let kept = [];
  try {
    const text = summary.input.sha256 && localStorage.getItem(storageName());
    if (text) kept = entriesOf(text).filter((entry) => !data.revision || !isApplied(entry));
  } catch {
    return;  // the browser keeps nothing, or what it keeps is damaged
  }
  if (!kept.length) return;
  corrections.list = kept;
  corrections.note = `${counted(kept.length, 'correction is', 'corrections are')} restored from an earlier visit.`;
  showCorrections();
}
