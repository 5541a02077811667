// The sections with a card for each morphology, and for each of the most abnormal beats.

const rowOf = (name, k) => arrays[name].subarray(k * facts.row_points, (k + 1) * facts.row_points);
const medianWords = () => facts.published ? 'mean beat' : 'median beat';
const dominantTemplate = () => Math.max(0, data.templates.findIndex(({beat_class: letter}) => letter === 'N'));
const leadTag = (words, lead) => severalLeads && node('span.lead-tag', {}, words, nameNode('b', lead.name));
const hasModel = () => !summary.model.why_none;

// Returns the median beat of a lead, which is a row of `reference`; the next row is its spread.
function medianOf(lead) {
  const place = data.reference_leads.indexOf(lead);
  return place < 0 ? new Float64Array(facts.row_points).fill(NaN) : rowOf('reference', 2 * place);
}

// --- Morphologies

// Returns the mean beat of a template in the c-th lead that has a median beat; null where it is not stored.
const meanOf = (c, k) => arrays.templates?.length ? rowOf('templates', c * data.templates.length + k) : null;

// Draws the mean beat of a template over that of the dominant one.
function meanDrawing(k, c) {
  const mean = meanOf(c, k), usual = meanOf(c, dominantTemplate()), kHeight = 90;
  if (!mean) return null;
  const [least, most] = endsOf([mean, usual]), scale = (kHeight - 2 * kBeatMargin) / Math.max(most - least, 1e-30);
  const y = (value) => kBeatMargin + scale * (most - value);
  return beatSvg(
      kHeight, `Mean beat of morphology ${k}, and of the dominant morphology`,
      beatPath('median', usual, y) + beatPath('signal', mean, y));
}

// Draws when the beats of a template occur, from the recording's start to its end.
function whenDrawing(k) {
  const kTimes = 113, counts = Array(kTimes).fill(0);
  for (let i = 0; i < beats.count; ++i)
    if (beats.shape(i) === k) ++counts[Math.min(Math.floor(kTimes * arrays.samples[i] / facts.samples), kTimes - 1)];
  const most = Math.max(...counts, 1);
  const bars = counts.map((count, i) => count ? `M${3 * i} 16v-${(3 + 12 * count / most).toFixed(1)}` : '').join('');
  return drawn(
      '<svg class="when" role="img" aria-label="When this morphology occurs, from start to end" ' +
      `viewBox="-2 0 343 16" preserveAspectRatio="none"><path d="${bars}"/></svg>`);
}

function shapeCard(k) {
  const shape = data.templates[k], lead = data.leads[data.reference_leads[shape.lead]];
  const [first, last] = [clock(shape.first_s), clock(shape.last_s)];
  const beatLink = (words, beat) => beat >= 0 && seeLink(`${words} ${clock(beats.at(beat), 1)}`, beats.at(beat));
  const facts = [
    exists(shape.rate_bpm) && `heart rate before it ${fixed(shape.rate_bpm, 0)}`,
    first === last ? 'at ' + first : `${first} to ${last}`, beatLink('most typical', shape.typical),
    shape.most_atypical !== shape.typical && beatLink('most atypical', shape.most_atypical)
  ].filter(Boolean);
  return node(
      'li.shape-card', {id: 'shape-' + k, 'data-beat': shape.typical >= 0 ? shape.typical : null},
      node(
          'header', {}, node('span', {}, node('b', {}, `Morphology ${k}`), ' ', shapeChip(k)),
          leadTag('in ', lead) || null,
          node(
              'span.score', {}, node('b', {}, grouped(shape.beats)),
              `${shape.beats === 1 ? ' beat' : ' beats'}, ${percent(shape.share)}`)),
      shape.typical >= 0 ?
          cardStrip(lead, shape.typical, 30, `ECG strip around the most typical beat of morphology ${k}`) :
          null,
      meanDrawing(k, shape.lead), whenDrawing(k), node('p.why', {}, shape.reason),
      node('p.why.facts-line', {}, facts.flatMap((part, i) => i ? [' · ', part] : [part])), shapeChoice(k));
}

function addShapes() {
  if (!hasClasses()) return;
  const kShown = 9, numbers = data.templates.map((_, k) => k);
  const cards = (some) => node('ul.cards', {}, some.map(shapeCard));
  addSection(
      'shapes', 'Morphologies', 'Beat morphologies',
      'Each card is a group of beats of similar morphology and the same class, the largest first: the ECG around the ' +
          'most typical beat, the mean beat with that of the dominant morphology in grey, and when it occurs. The ' +
          'dominant morphology is that of the largest group of normal beats (N).',
      cards(numbers.slice(0, kShown)),
      numbers.length > kShown ? fold(`Show ${numbers.length - kShown} more`, () => [cards(numbers.slice(kShown))]) :
                                null);
}

// --- The most abnormal beats

// Returns marks every 100 ms around the R peak; empty where the times of a row are unknown.
function rowTicks(height, labels) {
  const {row_before_s: before, row_after_s: after} = facts;
  if (!exists(before) || !exists(after)) return '';
  let lines = '', texts = '';
  for (let tick = Math.ceil(-before * 10 - 1e-9); tick / 10 <= after + 1e-9; ++tick) {
    const x = Math.round(10 * kBeatWidth * (tick / 10 + before) / (before + after));
    lines += `M${x} 0v${10 * (height - labels)}`;
    if (tick / 10 <= after - 0.02)  // there is room for its text
      texts += `<text x="${x}" y="${10 * height - 10}">${fixed(tick * 100, 0)}${tick ? '' : ' ms'}</text>`;
  }
  return `<path class="grid" d="${lines}"/>${texts}`;
}

// Draws a beat's row and the median beat; where the waveform makes the score, also the model's reconstruction and,
// below them, the residual (row less reconstruction) on the same scale.
function beatDrawing(k, words) {
  const kHeight = 120, kLabels = 14, kReach = 0.3;  // share of the beat's height by which the model may overshoot
  const row = rowOf('rows', k), median = medianOf(data.row_leads[k]);
  let [least, most] = endsOf([row, median]), decoded = [], residual = [];
  if (hasModel() && data.reasons[k].waveform) {
    // Far from its training beats a model may decode anything. It is cut off, so that the beat stays visible.
    const reach = kReach * (most - least), [floor, ceiling] = [least - reach, most + reach];
    decoded = rowOf('decoded', k).map((value) => Math.max(floor, Math.min(value, ceiling)));
    [least, most] = endsOf([row, median, decoded]);
    residual = row.map((value, i) => value - decoded[i]);
  }
  const [low, high] = endsOf([residual, [0]]), height = kHeight - kLabels - (residual.length ? 3 : 2) * kBeatMargin;
  const scale = height / Math.max(most - least + high - low, 1e-30);
  const above = (value) => kBeatMargin + scale * (most - value);
  const zero = 2 * kBeatMargin + scale * (most - least + high), below = (value) => zero - scale * value;
  return beatSvg(
      kHeight, words,
      rowTicks(kHeight, kLabels) + beatPath('median', median, above) + beatPath('signal', row, above) +
          (residual.length ? `${beatPath('model', decoded, above)}<path class="zero" d="M0 ${Math.round(10 * zero)}h${
                                 10 * kBeatWidth}"/>${beatPath('residual', residual, below)}` :
                             ''));
}

function scoreChips(k, beat) {
  const chip = (name, part) =>
      node('span.chip', {}, name + ' ', part === undefined ? null : node('b', {}, fixed(part, 1)));
  const {waveform, rhythm, learned, waveform_part: part} = data.reasons[k];
  if (!arrays.rhythm) return chip('waveform');
  return [
    waveform && chip('waveform', part), rhythm && chip('rhythm', arrays.rhythm[beat]),
    learned > 0 && chip('class', learned)
  ].filter(Boolean);
}

function beatCard(k, height) {
  const beat = data.strip_beats[k], place = positionText(beats.at(beat), 2), lead = data.leads[data.row_leads[k]],
        letter = beats.beatClass(beat);
  const inLead = severalLeads ? ' in lead ' + lead.label : '', day = dayTime(beats.at(beat));
  return node(
      'li.card', {id: 'beat-' + beat, 'data-beat': beat},
      node(
          'header', {},
          node(
              'a.go', {href: '#beat-' + beat}, node('span.rank', {}, beats.poor(beat) ? '–' : String(k + 1)), ' ',
              node('span.time', {}, place), day && [' ', node('span.day-time', {title: 'time of day'}, day)]),
          leadTag(data.leads[beats.lead(beat)] === lead ? 'most in ' : 'in ', lead) || null,
          node('span.score', {}, 'score ', node('b', {}, fixed(beats.score(beat), 1)))),
      cardStrip(lead, beat, height, `ECG strip around the beat at ${place}${inLead}`),
      beatDrawing(k, `Beat at ${place}${inLead}, with the ${medianWords()}`),
      node('p.why', {}, letter && [beatChip(beat), ' '], scoreChips(k, beat), node('br'), data.reasons[k].words));
}

function galleryLead() {
  const model = hasModel() ?
      ' Where the waveform makes the score, the model’s reconstruction is added, and below it the residual (beat ' +
          'less reconstruction); far beyond the beat the reconstruction is cut off.' :
      '';
  const which = hasClasses() ? ', three of each morphology' : '';
  return `The abnormal beats in good signal with the highest scores${which}; others are behind the buttons. ` +
      `Each card shows the ECG around a beat, with marks at the R peaks: ${data.paper.text}. Below it, the beat is ` +
      `drawn over the ${medianWords()}.${model}` +
      (severalLeads ? ' A beat is drawn in the lead that contributes most to its score; the strip shows all leads.' :
                      '');
}

function addGallery() {
  const kOfTemplate = hasClasses() ? 3 : 24, places = data.strip_beats.map((_, k) => k),
        beatOf = (k) => data.strip_beats[k];
  const good = places.filter((k) => !beats.poor(beatOf(k))), poor = places.filter((k) => beats.poor(beatOf(k)));
  const abnormal = good.filter((k) => beats.abnormal(beatOf(k))), shapeOf = (k) => beats.shape(beatOf(k));
  const first = [...new Set(abnormal.map(shapeOf))].map(
      (shape) => abnormal.filter((k) => shapeOf(k) === shape).slice(0, kOfTemplate));
  const rest = good.filter((k) => !first.flat().includes(k));
  const height = cardHeight(places.map((k) => ({lead: data.leads[data.row_leads[k]], beat: beatOf(k)})));
  const cards = (some) => node('ol.cards', {}, some.map((k) => beatCard(k, height)));
  const heading = (k) => {
    const shape = shapeOf(k), letter = beats.beatClass(beatOf(k));
    return shape < 0 ?
        null :
        node('h3', {}, `Morphology ${shape} `, letter && classChip(letter, `${letter} ${kClassNames[letter]}`));
  };
  const entries = [
    ['abnormal-mark', 'abnormal'], ['normal-mark', 'normal'], ['signal', 'beat'], ['median', medianWords()],
    ...(hasModel() ? [['model', 'reconstruction'], ['residual', 'residual']] : [])
  ];
  const what = 'The most abnormal beats';
  addSection(
      'gallery', 'Beats', what, galleryLead(),
      node(
          'div.above-cards', {}, legend(entries),
          node(
              'span.tools', {}, csvLink('rows', 'Rows of the most abnormal beats', 'Rows as CSV'),
              csvLink('gallery', what))),
      first.map((some) => node('div.of-template', {}, heading(some[0]), cards(some))),
      first.length ? null : node('p', {}, 'No beat in good signal is abnormal.'),
      rest.length ? fold(`Show the next ${grouped(rest.length)} by score`, () => [cards(rest)]) : null,
      poor.length ?
          [
            node('h3', {id: 'poor-beats'}, 'In poor signal'),
            node(
                'p.note', {},
                'Artifacts, ventricular flutter and fast ventricular tachycardia look alike here: please verify.'),
            fold(`Show ${grouped(poor.length)} in poor signal`, () => [cards(poor)])
          ] :
          null);
}

// A click on a card or its strip chooses its beat.
function buildCards() {
  document.addEventListener('click', (event) => {
    const card = event.target.closest('.card');
    if (!card || !event.target.closest('.go, svg.strip')) return;
    event.preventDefault();
    chooseBeat(Number(card.dataset.beat));
  });
  onSelection(() => {
    for (const card of findAll('.card.chosen')) card.classList.remove('chosen');
    find(`#beat-${selection.beat}`)?.classList.add('chosen');
  });
}
