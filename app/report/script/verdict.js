// The first section: what was found, and what the reader must beware of.

const hasClasses = () => data.templates.length > 0 && Boolean(arrays.classes);
const kClassNames = {
  N: 'normal',
  S: 'supraventricular',
  V: 'ventricular',
  F: 'fusion',
  Q: 'unclassified'
};
const classChip = (letter, words = letter) => node(`span.kind.kind-${letter}`, {}, words);

// Counts scored beats and the abnormal ones, in good signal and in poor signal.
function abnormalCounts() {
  const counts = {good: 0, abnormal: 0, poor: 0, abnormalPoor: 0};
  for (let i = 0; i < beats.count; ++i) {
    if (!beats.scored(i)) continue;
    ++counts[beats.poor(i) ? 'poor' : 'good'];
    if (beats.abnormal(i)) ++counts[beats.poor(i) ? 'abnormalPoor' : 'abnormal'];
  }
  return counts;
}

function findingsList() {
  return node(
      'ul.findings', {},
      findingsOf().map(
          (finding) => node(
              'li', {}, finding.label ? labelChip(finding) : node('span.label.none', {}, '–'), ' ',
              seeLink(finding.words, finding.from, finding.to))));
}

// The beats of each class: how many stand alone, in couplets and in runs, and the longest and the fastest run.
function classTable() {
  const all = ['V', 'S', 'F'].map((letter) => ({letter, ...runsOf(letter)}));
  const rows = all.filter(({letter, beats}) => letter !== 'F' || beats);
  const runLink = (run, words) => run ? seeLink(words, beats.at(run.first), beats.at(run.first + run.beats - 1)) : '';
  // Columns that not every recording has.
  const rare = [['inFibrillation', 'in VF'], ['uncounted', 'in AF, not counted'], ['poor', 'in poor signal']].filter(
      ([key]) => rows.some((row) => row[key]));
  const count = (value) => value ? grouped(value) : '';
  const head = ['class', 'beats', 'burden', 'alone', 'couplets', 'runs', 'longest run', 'fastest run'];
  return table(
      'numbers.classes', [...head, ...rare.map(([, words]) => words)],
      rows.map(
          (row) => [
              [classChip(row.letter), ' ' + kClassNames[row.letter]], grouped(row.beats),
              percent(row.beats / Math.max(beats.count, 1)), ...[row.alone, row.couplets, row.runs].map(count),
              runLink(row.longest, counted(row.longest?.beats, 'beat')),
              runLink(row.fastest, fixed(row.fastest?.rate, 0) + ' a minute'),
              ...rare.map(([key]) => count(row[key]))]));
}

// --- Tiles

// Says when the recording begins by the clock; empty where it is not known.
function startWords() {
  const start = summary.input.start;
  if (facts.start_s === null) return '';
  const zone = start.zone === 'Z' ? ' UTC' : start.zone ? ' ' + start.zone : '';
  return `, from ${dayTime(0)}${zone}${start.date ? ' on ' + start.date : ''}`;
}

function durationTile() {
  if (!timed) return {name: 'Samples', value: grouped(facts.samples), detail: 'no sampling rate given'};
  const detail = `${counted(facts.samples, 'sample')} at ${significant(facts.rate_hz, 6)} Hz${startWords()}`;
  return {name: 'Duration', value: duration(facts.length), detail};
}

function abnormalTile() {
  const {good, abnormal, poor, abnormalPoor} = abnormalCounts();
  let inAf = 0;  // of them, S beats that the table does not count
  for (let i = 0; i < beats.count; ++i) inAf += beats.abnormal(i) && !beats.poor(i) && beats.uncounted(i);
  const detail = `${percent(abnormal / Math.max(good, 1))} of the scored beats${poor ? ' in good signal' : ''}, score above ${
      significant(facts.threshold, 4)}${inAf ? `; ${grouped(inAf)} are S in AF` : ''}${
      abnormalPoor ? `; ${grouped(abnormalPoor)} more in poor signal` : ''}`;
  return {name: 'Abnormal beats', value: grouped(abnormal), detail, css: abnormal ? 'abnormal' : ''};
}

function analysableTile() {
  const quality = summary.quality, name = 'Analysable signal';
  if (!quality) return {name, value: '–', detail: 'not analysed by the published method'};
  const parts = kPoorKinds.filter((kind) => quality[kind + '_share'] > 0)
                    .map((kind) => `${percent(quality[kind + '_share'])} ${kind}`);
  const detail =
      (severalLeads ? `good in at least one of ${data.leads.length} leads; ` : '') + (parts.join(', ') || 'no poor stretches');
  return {name, value: percent(quality.analysable_share), detail};
}

// The heart rate of the whole recording, with where it is slowest and fastest.
function rateTile() {
  const [whole] = windowsOf(facts.length);
  const name = 'Heart rate, a minute', value = fixed(whole.mean, 0);
  if (whole.slowest === null) return {name, value, detail: 'mean'};
  const part = (words, rate, at) => seeLink(`${words} ${fixed(rate, 0)} at ${clock(at)}${dayText(at)}`, at, at + 10);
  return {
    name,
    value,
    detail: ['mean; ', part('lowest', whole.slowest, whole.slow), ', ', part('highest', whole.fastest, whole.fast)]
  };
}

function variabilityTile() {
  const hrv = summary.findings?.hrv;
  if (!exists(hrv?.sdnn_ms)) return null;
  const parts = [['RMSSD', fixed(hrv.rmssd_ms, 0) + ' ms'], ['pNN50', fixed(hrv.pnn50_percent, 1) + '\u00a0%']];
  if (exists(hrv.lf_hf)) parts.push(['LF/HF', fixed(hrv.lf_hf, 2)]);
  return {
    name: 'Heart rate variability, SDNN',
    value: fixed(hrv.sdnn_ms, 0) + ' ms',
    detail: parts.map((part) => part.join(' ')).join(', ') + `; of ${grouped(hrv.intervals)} NN intervals`
  };
}

// --- Advisories and notes

const note = (css, words, ...parts) => node('li.' + css, {}, node('strong', {}, words), ' ', parts);

function advisoryNote({id, severity, message, time_s, lead}) {
  return note(
      severity === 'info' ? 'note' : 'warning', `${id} ${severity}`, message,
      lead ? ` (lead ‘${shortName(lead)}’)` : '',
      exists(time_s) ? [' ', seeLink('at ' + clock(time_s), time_s, time_s + 10)] : '');
}

function rateNote() {
  if (!timed) return 'No sampling rate was given. So positions are in samples, and there is no heart rate.';
  const source = summary.run.sample_rate_source ?? 'configuration', rate = significant(facts.rate_hz, 6) + ' Hz';
  if (source === 'model')
    return rate +
        ' is the rate of the recording that the model was trained on. It is a guess, because this recording ' +
        'does not specify its own.';
  if (source === 'time column') return rate + ', from the times in the file.';
  return `${rate}, from the ${source}. If it is wrong, all times and heart rates are wrong too.`;
}

function gapsNote() {
  const gaps = data.leads.filter((lead) => lead.missing > 0)
                   .map(
                       ({name, missing, gaps}) =>
                           `${counted(missing, 'sample')} ${severalLeads ? `of ${shortName(name)} ` : ''}${
                               missing === 1 ? 'is' : 'are'} missing in ${counted(gaps, 'gap')}`);
  return gaps.length &&
      gaps.join('; ') + '. The analysis bridges gaps by straight lines; drawings leave long gaps open.';
}

const kDrops = {
  too_short: 'too short',
  too_long: 'too long',
  in_gap: 'touching missing samples',
  last: 'the last, whose end is unknown'
};

function modelNote() {
  const {why_none: why, diagnosis} = summary.model;
  if (why) return `No model was trained: ${why}. The score of a beat consists of its rhythm, its shape and its class.`;
  return diagnosis?.collapsed && !facts.published &&
      'The model explains no more than the median beat, so the ranking rests on the other distances.';
}

function notes() {
  const dropped = Object.entries(summary.beats.dropped)
                      .filter(([, count]) => count > 0)
                      .map(([key, count]) => `${grouped(count)} ${kDrops[key] ?? key}`);
  const list = [
    ['warning', 'Gaps', gapsNote()], ['note', 'Rejected beats', dropped.length && dropped.join(', ') + '.'],
    ['note', 'Model', modelNote()],
    [summary.run.sample_rate_source === 'model' ? 'warning' : 'note', 'Sampling rate', rateNote()]
  ];
  return list.filter(([, , words]) => words).map((entry) => note(...entry));
}

function addVerdict() {
  // Those of an earlier version are texts.
  const advisories =
      (summary.advisories ?? summary.warnings ??
       []).map((entry) => typeof entry === 'string' ? note('warning', 'Advisory', entry) : advisoryNote(entry));
  const kFirst = 3, more = [...advisories.slice(kFirst), ...notes()];
  const open = hasClasses() ? undetermined().map((words) => note('undetermined', 'Undetermined', words)) : [];
  addSection(
      'verdict', 'Verdict', 'Verdict', '', hasClasses() ? [findingsList(), classTable()] : [], tiles([
        {
          name: 'Beats',
          value: grouped(summary.beats.found),
          detail: exists(summary.beats.median_a_minute) ?
              fixed(summary.beats.median_a_minute, 0) + ' a minute (median)' :
              grouped(summary.beats.kept) + ' have a score'
        },
        durationTile(), abnormalTile(), analysableTile(), timed && facts.length >= 10 ? rateTile() : null,
        variabilityTile()
      ].filter(Boolean)),
      node('ul.notes', {}, advisories.slice(0, kFirst), open),
      node(
          'details.notes-fold', {},
          node(
              'summary', {},
              advisories.length > kFirst ? `${
                                               counted(
                                                   advisories.length - kFirst, 'further advisory',
                                                   'further advisories')}, and notes on the analysis` :
                                           'Notes on the analysis'),
          node('ul.notes', {}, more)),
      node(
          'p.research', {},
          'For research use only: this page is not a diagnosis, and the program is not a medical device.'));
}
