// The section on episodes: a table of the longest of each label, with a filter. Their lane is in the overview.

const kListedOfLabel = 30;
const kRowPixels = 30;
const kGroups = [
  ['ventricular', 'ventricular'], ['atrial', 'atrial'], ['pause', 'pauses'], ['rate', 'rate'], ['signal', 'signal'],
  ['other', 'other']
];
const groupsIn = () => kGroups.filter(([group]) => episodes.some(({label}) => groupOf(label) === group));

const laneOf = () => groupsIn().flatMap(
    ([group], row) =>
        episodes.filter(({label}) => groupOf(label) === group).map((episode) => ({...episode, group, row})));

// Shows a stretch with a second on either side, and shades it. `words` say what it is.
function see(from, to, words) {
  const edge = perSecond / unit;
  if (to > from)
    chooseStretch(Math.max(0, from - edge), Math.min(facts.length, to + edge), {from, to, words});
  else
    chooseStretch(from, to, {from, to, words});
}

function buildLinks() {
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a.see');
    if (!link) return;
    event.preventDefault();
    see(Number(link.dataset.from), Number(link.dataset.to), link.textContent);
  });
}

function filterOf(counts, rows) {
  if (counts.size < 2) return null;
  const buttons = [
    ['', `all ${grouped(episodes.length)}`],
    ...[...counts].map(([label, count]) => [label, `${label} ${grouped(count)}`])
  ].map(([label, words]) => {
    const button = node('button', {type: 'button', 'data-filter': label, 'aria-pressed': label === ''}, words);
    button.addEventListener('click', () => {
      for (const other of buttons) other.setAttribute('aria-pressed', other === button);
      for (const row of rows()) row.hidden = label !== '' && row.dataset.label !== label;
    });
    return button;
  });
  return node('p.filter', {role: 'group', 'aria-label': 'Episodes to list'}, buttons);
}

// Returns the cells of an episode in the table, the last of which is for the reader who corrects.
const episodeCells = (one) => [
    [labelChip(one), ' ', seeLink(wordsOf(one.label) + (one.isLow ? '?' : ''), one.from, one.to)], clock(one.from, 1),
    ...(facts.start_s === null ? [] : [dayTime(one.from)]), tenths(one.to - one.from), grouped(one.beats),
    fixed(one.rate, 0), fixed(one.confidence, 2), one.quality ?? '',
    groupOf(one.label) === 'signal' ? '' : verdictCell(one)];

function addEpisodes() {
  if (!data.episodes) return;
  const lead = 'Rhythms, pauses, and signal that cannot be analysed, from beat classes, intervals and signal. Please ' +
      'verify in the strip. A question mark stands where the confidence is below 0.5.';
  if (!episodes.length)
    return addSection('episodes', 'Episodes', 'Episodes', lead, node('p', {}, 'No episode was found.'));
  const labels = [...new Set(episodes.map(({label}) => label))].sort((a, b) => placeOf(a) - placeOf(b));
  const counts = new Map(labels.map((label) => [label, episodes.filter((one) => one.label === label).length]));
  const listedOnes = labels
                         .flatMap(
                             (label) => episodes.filter((one) => one.label === label)
                                            .sort((a, b) => b.to - b.from - a.to + a.from)
                                            .slice(0, kListedOfLabel))
                         .sort((a, b) => a.from - b.from);
  const left = labels.filter((label) => counts.get(label) > kListedOfLabel)
                   .map(
                       (label) => ` Of ${grouped(counts.get(label))} with the label ${label} the table has the ${
                           kListedOfLabel} longest.`);
  const day = facts.start_s === null ? [] : ['time of day'];
  const list = table(
      'numbers', ['episode', 'from', ...day, 'duration', 'beats', 'rate', 'confidence', 'signal', 'correct'],
      listedOnes.map(episodeCells));
  findAll('tbody tr', list).forEach((row, i) => row.dataset.label = listedOnes[i].label);
  findAll('th:last-child, td:last-child', list).forEach((cell) => cell.classList.add('of-correcting'));
  addSection(
      'episodes', 'Episodes', 'Episodes', lead,
      figure(
          'episode-table', 'Every episode', {
            wide: true,
            note: 'Rates are in beats a minute.' + left.join('') + (left.length ? ' episodes.csv has all.' : ''),
            rows: () => episodes.map(
                ({from, to, label, beats, rate, confidence, quality}) =>
                    ({start_s: from, end_s: to, label, beats, rate_bpm: rate, confidence, quality}))
          },
          filterOf(counts, () => findAll('tbody tr', list)), list));
}
