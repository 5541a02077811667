// The tools of a reader who corrects: buttons and keys in the window of the strip, clicks into the signal, and the bar
// with what was corrected. They are hidden until they are used.

const kAddedEpisodes = ['AFIB', 'AFL', 'VF', 'VFL'];
const kReach_mm = 5;  // a click on the paper means the beat that is at most so far away

const isCorrecting = () => document.documentElement.classList.contains('correcting');
const toolButton = (action, words, title) => node('button', {type: 'button', 'data-correct': action, title}, words);

// --- The chosen beat

// Returns the correction that has added the chosen beat.
const chosenAdded = () => corrections.list.find(({one}) => one.action === 'insert' && one.time_s === selection.added);

const addedText = () => chosenAdded() ? correctionWords(chosenAdded()) : '';

// Returns the beat that the tools change; null without one.
function chosenBeat() {
  if (selection.beat !== null) return correctedBeat(selection.beat);
  const added = chosenAdded();
  return added ? {letter: added.one.beat_class, isDeleted: false} : null;
}

function correctClass(letter) {
  const {beat, added} = selection;
  if (!chosenBeat()) return;
  if (beat === null) return addCorrections([addedBeat(added, letter)]);
  const entry = beatEntry(beat, {beat_class: letter});
  letter === classOfShape(beat) ? replaceCorrections([keyOf(entry)]) : addCorrections([entry]);
}

// Deletes the chosen beat, or takes that back.
function deleteBeat() {
  const chosen = chosenBeat();
  if (!chosen) return;
  if (selection.beat === null) return replaceCorrections([keyOf(addedBeat(selection.added, 'N'))]);
  const entry = beatEntry(selection.beat, {action: 'delete'});
  chosen.isDeleted ? replaceCorrections([keyOf(entry)]) : addCorrections([entry]);
}

// --- Clicks into the signal

const chooseAdded = (time_s) =>
    select({beat: null, mark: null, added: time_s, from: viewer.drawnFrom, to: viewer.drawnTo});

// Begins to place a beat, noise or an episode; with null, or a second time, it ends that.
function startPlacing(what) {
  corrections.place = what && corrections.place?.what !== what ? {what, from: null} : null;
  viewer.draw();
  showTools();
}

function addStretch(what, from, to) {
  corrections.place = null;
  const noise = {part: 'noise', one: {from_s: roundedTime(from), to_s: roundedTime(to)}};
  addCorrections([what === 'noise' ? noise : episodeEntry(what, from, to, 'added')]);
}

function placeAt(sample) {
  const {what, from} = corrections.place, at = sample / unit;
  if (what === 'beat') {
    corrections.place = null;
    const there = beats.from(sample);
    if (arrays.samples[there] === sample) return chooseBeat(there);
    addCorrections([addedBeat(roundedTime(at), 'N')]);
    return chooseAdded(roundedTime(at));
  }
  if (from !== null && from !== at) return addStretch(what, Math.min(from, at), Math.max(from, at));
  corrections.place.from = at;
  viewer.draw();
  showTools();
}

// Places what the reader is about to add, or else chooses the beat under the pointer or near it.
function clickedPaper(event) {
  const svg = event.target.closest('svg.strip'), added = event.target.closest('[data-added]');
  if (!svg || !isCorrecting()) return;
  const {left, width} = svg.getBoundingClientRect(), line = findAll('svg.strip', viewer.root).indexOf(svg);
  const seconds = viewer.seconds(), at = viewer.first / unit + ((event.clientX - left) / width + line) * seconds;
  if (corrections.place) {
    event.stopPropagation();
    return placeAt(Math.max(0, Math.min(Math.round(at * unit), facts.samples - 1)));
  }
  if (added) return chooseAdded(Number(added.dataset.added));
  const beat = beats.nearest(at), away = Math.abs(beats.at(beat) - at) * viewer.paper().mmPerSecond;
  if (!event.target.closest('[data-beat]') && away <= kReach_mm) chooseBeat(beat);
}

// Returns what the reader adds to a strip: below the signal shades over noise and episodes, above it their labels and
// the added beats.
function correctionDrawing(first, seconds, paper, height) {
  const right = svgNumber(seconds * paper.mmPerSecond), tall = svgNumber(height);
  const x = (position) =>
      Math.max(-1, Math.min(svgNumber((position * unit - first) / perSecond * paper.mmPerSecond), right + 1));
  let below = '', above = '';
  for (const {part, one} of corrections.list) {
    const from = x(timeOf({one})), to = x(one.to_s), isInside = from >= 0 && from <= right;
    if ((part === 'noise' || one.verdict === 'added') && from < to) {
      below += `<rect class="${part === 'noise' ? 'noise' : 'added'}-wash" x="${from}" y="0" width="${
          to - from}" height="${tall}"/>`;
      above +=
          `<text class="clock pending" x="${from + 20}" y="${tall - 130}">${escaped(one.label ?? 'noise')}*</text>`;
    } else if (one.action === 'insert' && isInside) {
      above +=
          `<g class="beat-mark" data-added="${one.time_s}"><title>${escaped(correctionWords({part, one}))}</title>` +
          `<path class="hit" d="M${from - 40} 0h80v240h-80z"/><path class="mark added${
              one.time_s === selection.added ? ' chosen' : ''}" d="M${from} 10v100"/>` +
          `<text class="kind-letter pending" x="${from}" y="205">${one.beat_class}*</text></g>`;
    }
  }
  const {from = null} = corrections.place ?? {};
  if (from !== null) above += `<path class="mark added" d="M${x(from)} 0v${tall}"/>`;
  return {below, above};
}

// --- The tools in the window of the strip

function toolWords(chosen) {
  const {place} = corrections;
  if (!place) return chosen ? '' : 'Choose a beat in the strip.';
  if (place.what === 'beat') return 'Click on the R peak of the beat.';
  const what = place.what === 'noise' ? 'the noise' : 'the episode ' + place.what;
  return `Click where ${what} ${place.from === null ? 'begins' : 'ends'}.`;
}

function showTools() {
  const chosen = chosenBeat(), {place} = corrections, tools = find('.tools-to-correct');
  for (const button of findAll('[data-class]', tools)) {
    button.disabled = !chosen;
    button.ariaPressed = Boolean(chosen) && !chosen.isDeleted && chosen.letter === button.dataset.class;
  }
  const remove = find('[data-correct=delete]', tools);
  remove.disabled = !chosen;
  remove.ariaPressed = chosen?.isDeleted ?? false;
  for (const button of findAll('[data-place]', tools)) button.ariaPressed = place?.what === button.dataset.place;
  find('select', tools).value = kAddedEpisodes.includes(place?.what) ? place.what : '';
  find('.tool-words', tools).textContent = toolWords(chosen);
  const {mark} = selection;
  find('[data-correct=stretch]', tools).hidden = !place || place.what === 'beat' || !mark || mark.to <= mark.from;
}

function buildTools() {
  const tools = find('.tools-to-correct'), choice = find('select', tools);
  find('.letters', tools)
      .append(...Object.entries(kClassNames)
                  .map(
                      ([letter, name], i) => node(
                          'button',
                          {type: 'button', 'data-class': letter, title: `Class ${letter}, ${name} (key ${i + 1})`},
                          letter)));
  choice.append(...kAddedEpisodes.map((label) => node('option', {value: label}, `${label}: ${wordsOf(label)}`)));
  choice.addEventListener('change', () => startPlacing(choice.value || null));
  find('.paper', viewer.root).addEventListener('click', clickedPaper);
  onSelection(showTools);
}

const correctionKeys = () => isCorrecting() ? {
  ...Object.fromEntries(Object.keys(kClassNames).map((letter, i) => [i + 1, () => correctClass(letter)])),
  Delete: deleteBeat,
  Backspace: deleteBeat,
  z: undoCorrection,
  ...(corrections.place && {Escape: () => startPlacing(null)})
} :
                                              {};

// --- The bar

function buildBar() {
  const file = node('input', {type: 'file', accept: '.json,application/json'});
  file.addEventListener('change', async () => {
    if (file.files.length) await loadCorrections(file.files[0]);
    file.value = '';  // so that the same file can be chosen again
  });
  find('nav').append(node(
      'div.corrections', {role: 'region', 'aria-label': 'Corrections', hidden: ''},
      node('b.corrected', {'aria-live': 'polite'}),
      node('span.then', {}, 'Save corrections.json, then ', code('beatscan revise DIR --corrections corrections.json'),
          ' (DIR: the folder of this page)'),
      node(
          'span.group', {}, toolButton('save', 'Save'), toolButton('undo', 'Undo', 'Undo (key z)'),
          toolButton('list', 'List'), node('label.load', {}, 'Load', file)),
      node('span.corrections-note', {role: 'status'}), node('ul', {hidden: ''})));
}

function showBar() {
  const bar = find('.corrections'), {list, before, note, isKept} = corrections;
  bar.hidden = !list.length && !before.length && !note && !isCorrecting();
  find('.corrected', bar).textContent = list.length ? counted(list.length, 'correction') : 'No corrections';
  find('.then', bar).hidden = !list.length;
  find('[data-correct=save]', bar).disabled = !list.length;
  find('[data-correct=list]', bar).disabled = !list.length;
  find('[data-correct=list]', bar).ariaExpanded = !find('ul', bar).hidden;
  find('[data-correct=undo]', bar).disabled = !before.length;
  find('.corrections-note', bar).textContent =
      note || (isKept || !list.length ? '' : 'The browser does not keep corrections: save them before you leave.');
  find('ul', bar).replaceChildren(...list.map(
      (entry) => node(
          'li', {}, seeLink(correctionWords(entry), timeOf(entry), entry.one.to_s ?? timeOf(entry)), ' ',
          node('button', {type: 'button', 'data-correct': 'remove', 'data-key': keyOf(entry)}, 'Take back'))));
}

// --- Cards and the table of episodes

function beatChip(beat) {
  const {letter, mark, isDeleted} = correctedBeat(beat);
  return node(`span.kind.kind-${letter}${isDeleted ? '.deleted' : ''}`, {}, letter + mark);
}

function shapeChip(k) {
  const own = data.templates[k].beat_class, letter = corrections.shapes.get(k) ?? own;
  return classChip(letter, `${letter}${letter === own ? '' : '*'} ${kClassNames[letter]}`);
}

// Returns what gives all beats of a morphology another class.
const shapeChoice = (k) => canCorrect() ?
    node(
        'label.why.of-correcting', {}, 'Class of all its beats ',
        node(
            'select', {'data-shape': k},
            Object.entries(kClassNames)
                .map(
                    ([letter, name]) => node(
                        'option', {value: letter, selected: data.templates[k].beat_class === letter ? '' : null},
                        `${letter} ${name}`)))) :
    null;

function correctShape(k, letter) {
  const entry = templateEntry(k, letter);
  letter === data.templates[k].beat_class ? replaceCorrections([keyOf(entry)]) : addCorrections([entry]);
}

function showInCards() {
  for (const card of findAll('.shape-card')) {
    const k = Number(card.id.replace('shape-', ''));
    find('.kind', card).replaceWith(shapeChip(k));
    find('select', card).value = corrections.shapes.get(k) ?? data.templates[k].beat_class;
  }
  for (const card of findAll('.card')) find('.why .kind', card)?.replaceWith(beatChip(Number(card.dataset.beat)));
}

const verdictCell = ({label, from, to}) => node(
    'span.group.verdicts', {'data-label': label, 'data-from': from, 'data-to': to},
    [['confirmed', 'Confirm'], ['rejected', 'Reject']].map(
        ([verdict, words]) => node(
            'button', {
              type: 'button',
              'data-verdict': verdict,
              'aria-pressed': false,
              'aria-label': `${words} the episode ${label} at ${clock(from, 1)}`
            },
            words)));

const entryOfRow = ({dataset: {label, from, to}}, verdict) => episodeEntry(label, Number(from), Number(to), verdict);

function giveVerdict(button) {
  const entry = entryOfRow(button.closest('.verdicts'), button.dataset.verdict);
  button.ariaPressed === 'true' ? replaceCorrections([keyOf(entry)]) : addCorrections([entry]);
}

function showInEpisodes() {
  const body = find('#episode-table tbody'), added = corrections.list.filter(({one}) => one.verdict === 'added');
  if (!body) return;
  for (const row of findAll('tr.added', body)) row.remove();
  for (const row of findAll('tr', body)) {
    const cell = find('.verdicts', row);
    if (!cell) continue;
    const key = keyOf(entryOfRow(cell)), given = corrections.list.find((one) => keyOf(one) === key);
    row.classList.toggle('deleted', given?.one.verdict === 'rejected');
    for (const button of findAll('button', row)) button.ariaPressed = given?.one.verdict === button.dataset.verdict;
  }
  body.append(...added.map((entry) => {
    const {label, from_s: from, to_s: to} = entry.one;
    const cells = episodeCells({label, from, to, mark: '*'}).slice(0, -1);
    const back = node('button', {type: 'button', 'data-correct': 'remove', 'data-key': keyOf(entry)}, 'Take back');
    const row = node('tr.added', {'data-label': label}, rowCells([...cells, back]));
    row.lastChild.classList.add('of-correcting');
    return row;
  }));
}

// Shows the corrections everywhere, after a change.
function showCorrections() {
  indexCorrections();
  if (viewer.first !== undefined) viewer.draw();
  showTools();
  showBar();
  showInCards();
  showInEpisodes();
}

function buildCorrections() {
  if (!canCorrect()) return findAll('.of-correcting, [data-act=correct]').forEach((part) => part.remove());
  buildTools();
  buildBar();
  const actions = {
    delete: deleteBeat,
    stretch: () => addStretch(corrections.place.what, selection.mark.from, selection.mark.to),
    save: () => saveFile('corrections.json', correctionsText(), 'application/json'),
    undo: undoCorrection,
    remove: ({dataset: {key}}) => replaceCorrections([key]),
    list: () => {
      find('.corrections ul').toggleAttribute('hidden');
      showBar();
    },
  };
  document.addEventListener('click', ({target}) => {
    const button = target.closest('button');
    if (!button) return;
    const {correct: action, class: letter, place, verdict, act} = button.dataset;
    if (action) actions[action](button);
    if (letter) correctClass(letter);
    if (place) startPlacing(place);
    if (verdict) giveVerdict(button);
    if (act !== 'correct') return;
    button.ariaPressed = document.documentElement.classList.toggle('correcting');
    corrections.place = null;
    showTools();
    showBar();
    viewer.place();
    viewer.show();
  });
  document.addEventListener('change', ({target}) => {
    if (target.dataset.shape) correctShape(Number(target.dataset.shape), target.value);
  });
  restoreCorrections();
}
