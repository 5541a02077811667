// The sections on the model: what its latents have learned; scores, the threshold and the training.

// --- Latents

const referenceLead = () => data.leads[data.reference_leads[0]].label;

// Far from its training beats the model may answer with latents of any size. Then the axis is logarithmic there.
function latentAxis(values, usual, number) {
  const all = valueRange(values, 5e-4), middle = valueRange(usual, 0.01), axis = {...all, label: `latent ${number}`};
  if (all.to - all.from <= 6 * (middle.to - middle.from)) return axis;
  return {...axis, kind: 'asinh', linear: Math.max(Math.abs(middle.from), Math.abs(middle.to))};
}

function latentPlane() {
  const of = {x: (i) => arrays.latent_x[i], y: (i) => arrays.latent_y[i]}, points = pointsOf(of.x, of.y);
  const [numberX, numberY] = summary.report.grid_latents;
  const x = latentAxis(arrays.latent_x, points.normal.map(([value]) => value), numberX);
  const y = latentAxis(arrays.latent_y, points.normal.map(([, value]) => value), numberY);
  const note = 'The axes are the two latents with the largest variance; they have no unit.' +
      (severalLeads ? ` A beat is placed by its row in lead ${referenceLead()}; one without signal there is left out.` :
                      '') +
      (x.kind || y.kind ? ' Far from the centre an axis is logarithmic, because the model may put beats unlike its ' +
               'training beats anywhere.' :
                          '');
  return figure(
      'plane', 'Latent plane', {note},
      chart(
          'Latent plane: density of the normal beats, and the abnormal ones on top',
          {x, y, height: 430, pick: of, draw: (pen) => drawDensity(pen, points)}),
      legend(kDensityLegend));
}

// Draws rows as small pictures on one scale, from left to right, `columns` of them in a line.
function smallPictures(rows, columns, width, height, words) {
  const [least, most] = endsOf(rows), scale = (height - 6) / Math.max(most - least, 1e-30),
                lines = Math.ceil(rows.length / columns);
  let path = '', grid = '';
  rows.forEach((row, i) => {
    const left = i % columns * width + 3, top = Math.floor(i / columns) * height + 3;
    const step = Math.max(1, Math.floor(2 * row.length / width));  // a point every half pixel
    for (let p = 0; p < row.length; p += step)
      path += `${p ? 'L' : 'M'}${(left + (width - 6) * p / (row.length - 1)).toFixed(1)} ${
          (top + scale * (most - (exists(row[p]) ? row[p] : least))).toFixed(1)}`;
  });
  for (let x = 0; x <= columns; ++x) grid += `M${x * width} 0v${lines * height}`;
  for (let y = 0; y <= lines; ++y) grid += `M0 ${y * height}h${columns * width}`;
  return drawn(`<svg class="multiples" role="img" aria-label="${words}" viewBox="-1 -1 ${columns * width + 2} ${
      lines * height + 2}"><path class="grid" d="${grid}"/><path class="line" d="${path}"/></svg>`);
}

const rowsOf = (name, points) =>
    Array.from({length: arrays[name].length / points}, (_, i) => arrays[name].subarray(i * points, (i + 1) * points));
const drawnAs = () => severalLeads ? `. The beats are drawn as those of lead ${referenceLead()}` : '';

function latentGrid() {
  const values = summary.report.grid_values, latents = summary.report.grid_latents, plane = Boolean(arrays.latent_x);
  const rows = rowsOf('grid', facts.row_points), [width, height] = (values ?? []).map((list) => list.length);
  if (!width || width * height !== rows.length) return null;
  const upwards = Array.from({length: height}, (_, y) => rows.slice(y * width, (y + 1) * width)).reverse().flat();
  const span = (list) => `${fixed(list[0], 1)} to ${fixed(list[list.length - 1], 1)}`;
  const note = `Latent ${latents[0]} goes from ${span(values[0])} (left to right)` +
      (plane ? `, latent ${latents[1]} from ${span(values[1])} (bottom to top); any other latent is 0` : '') +
      drawnAs() + '.';
  return figure(
      'grid', 'Decoded from a grid of latents', {note},
      smallPictures(upwards, width, plane ? 60 : 120, plane ? 50 : 100, 'Beats decoded from a grid of latents'));
}

function generatedBeats() {
  if (!arrays.generated.length) return null;
  const note = `The model decoded these beats from latents drawn at random from the normal distribution${drawnAs()}.`;
  return figure(
      'generated', 'Generated beats', {wide: true, note},
      smallPictures(rowsOf('generated', facts.generated_points), 13, 85, 66, 'Beats decoded from random latents'));
}

function addLatents() {
  if (!hasModel()) return;  // the section on scores says why
  addSection(
      'latents', 'Latents', 'What the model has learned',
      'The model, a variational autoencoder, describes each beat by a few numbers, its latents. ' +
          'From these it decodes the beat again.',
      arrays.latent_x ? stacks([latentPlane()], [latentGrid()]) : latentGrid(), generatedBeats());
}

// --- Scores

// Counts the scores in good signal in bars of equal width. The threshold lies between two bars.
function scoreBars() {
  const kBars = 100, {threshold} = facts,
        scores = Float64Array.from(arrays.samples, (_, i) => beats.poor(i) ? NaN : beats.score(i));
  const range = valueRange(scores, 5e-4), to = Math.max(range.to, threshold + 0.5 * Math.abs(threshold) + 1);
  const width = (to - Math.min(range.from, threshold)) / kBars;
  const from = threshold - Math.ceil((threshold - Math.min(range.from, threshold)) / width) * width;
  const bars = {
    from,
    width,
    to: from + kBars * width,
    counts: Array(kBars).fill(0),
    beyond: 0,
    left: (bar) => from + bar * width
  };
  for (const score of scores) {
    if (!exists(score)) continue;
    bars.beyond += score > bars.to;
    ++bars.counts[Math.floor(Math.max(0, Math.min((score - from) / width, kBars - 0.5)))];
  }
  return bars;
}

// The slider for the threshold counts the beats above it. The rest of the page keeps that of the analysis.
function scoresFigure() {
  const bars = scoreBars(), y = {from: 0.7, to: 1.6 * Math.max(...bars.counts, 1), label: 'beats', kind: 'log'};
  let threshold = facts.threshold;
  const hundredths = (value) => Math.round(100 * value);
  const host = chart('Histogram of the scores with the threshold', {
    x: {from: bars.from, to: bars.to, label: 'score'},
    y,
    height: 240,
    title: (at) => {
      const bar = Math.floor((at - bars.from) / bars.width);
      return `${significant(bars.left(bar), 3)} to ${significant(bars.left(bar + 1), 3)}: ${grouped(bars.counts[bar])}`;
    },
    draw: (pen) => {
      bars.counts.forEach(
          (count, bar) => count &&
              pen.bar(
                  bars.left(bar), bars.left(bar + 1), y.from, count,
                  bars.left(bar + 0.5) > threshold ? 'abnormal' : 'normal'));
      pen.rule('x', threshold, 'ink');
    },
  });
  const slider = node('input', {
    type: 'range',
    id: 'threshold',
    'aria-label': 'Threshold',
    min: hundredths(bars.from),
    max: hundredths(bars.to),
    step: 1,
    value: hundredths(threshold)
  });
  const output = node('output', {
    id: 'threshold-count', for: 'threshold'
  });
  const show = (at, text, isAbove) => {
    let good = 0, count = 0, poor = 0;
    for (let i = 0; i < beats.count; ++i) {
      if (!beats.scored(i)) continue;
      if (!beats.poor(i)) ++good;
      if (isAbove(i)) beats.poor(i) ? ++poor : ++count;
    }
    threshold = at;
    host.plot?.redraw(false);
    output.textContent =
        `${counted(count, 'beat is', 'beats are')} above ${text} (${percent(count / Math.max(good, 1))})` +
        (poor ? `; ${grouped(poor)} more in poor signal` : '');
    output.dataset.count = count;
    slider.setAttribute('aria-valuetext', text);
  };
  // Stored scores are in hundredths, rounded upwards. So one is above a whole number of hundredths exactly where the
  // beat's score is.
  slider.addEventListener(
      'input',
      () => show(
          slider.value / 100, fixed(slider.value / 100, 2),
          (i) => beats.revised(i) ? beats.abnormal(i) : arrays.scores[i] > slider.value));
  const reset = () => {
    slider.value = hundredths(facts.threshold);
    show(facts.threshold, significant(facts.threshold, 4), beats.abnormal);
  };
  const back = node('button', {type: 'button', id: 'threshold-reset'}, 'Back to the threshold of the analysis');
  back.addEventListener('click', reset);
  reset();
  const note =
      'Scores in good signal. The vertical axis is logarithmic. Moving the slider counts the beats above another ' +
      'threshold; the ' +
      'rest of the page stays as it is.' +
      (bars.beyond ? ` The last bar also holds ${counted(bars.beyond, 'beat')} with higher scores.` : '');
  return figure(
      'scores', 'Scores and the threshold',
      {wide: true, note, rows: () => bars.counts.map((beats, bar) => ({from: bars.left(bar), beats}))}, host,
      node('div.controls', {}, slider), node('p.count', {}, output, ' ', back));
}

// --- The model

function training() {
  const {model} = summary, {loss_per_epoch: loss, test_loss: test} = model;
  if (!hasModel()) return node('p.lead', {}, `There is no model: ${model.why_none}.`);
  if (!loss.length)
    return node('p.lead', {}, 'This run trained no model. It read one from ', code(model.source ?? 'a file'), '.');
  const {from, to} = valueRange([...loss, test]), points = loss.map((value, i) => [i + 1, value]);
  return figure(
      'training', 'Training', {
        note: `The model has ${grouped(model.parameters)} parameters. It was trained on ${
            counted(model.train_beats, severalLeads ? 'row' : 'beat')} and tested on ${
            counted(model.test_beats, 'other')}.`,
        rows: () => points.map(([epoch, loss]) => ({epoch, loss}))
      },
      chart('Training: loss in each epoch', {
        x: {from: 1, to: Math.max(loss.length, 2), label: 'epoch', kind: 'whole'},
        y: {from: Math.max(from - 0.1 * (to - from), 0), to, label: 'loss per beat'},
        height: 280,
        draw: (pen) => {
          if (exists(test)) pen.rule('y', test, 'muted', 'test beats after training', [4, 3]);
          pen.line(points, 'normal', {width: 2.2});
          if (points.length < 60) pen.dots(points, 'normal', 5);
        }
      }));
}

// Returns a table of names with their numbers and bars: [name, number, CSS class].
function barTable(rows, most) {
  return table(
      'numbers.meters', [], rows.map(([name, value, css]) => [name, significant(value, 3), meter(value / most, css)]));
}

function diagnosis() {
  const {diagnosis: its} = summary.model;
  if (!its) return null;
  const active = data.active_variance, variance = its.latent_variance;
  const errors = [['model', its.test_reconstruction_error, 'model'], ['mean beat', its.mean_beat_error, 'median']];
  return [
    figure(
        'active', `Active latents: ${its.active_latents} of ${variance.length}`, {
          note: `The variance of each latent’s mean over the test beats. A latent is active if it is above ${
              significant(active, 2)}.`,
          rows: () => variance.map((value, latent) => ({latent, variance: value}))
        },
        barTable(
            variance.map((value, i) => [`latent ${i}`, value, value > active ? 'model' : 'idle']),
            Math.max(active, ...variance))),
    figure(
        'errors', 'Error against the mean beat', {
          note: 'The mean squared error over the test beats, of the model and of always predicting the mean beat. ' +
              (its.explained > 0 ? `The model’s error is ${percent(its.explained)} smaller.` :
                                   'The model’s error is not smaller, so it explains nothing.'),
          rows: () => errors.map(([of, error]) => ({of, error}))
        },
        barTable(errors, Math.max(...errors.map(([, error]) => error)))),
  ];
}

function baseline() {
  if (!arrays.baselines?.some(exists)) return null;
  const of = {x: (i) => arrays.baselines[i], y: beats.score}, points = pointsOf(of.x, of.y);
  const x = valueRange(arrays.baselines, 5e-4),
        y = valueRange(Float64Array.from(arrays.samples, (_, i) => beats.score(i)), 5e-4);
  const both = {from: Math.min(x.from, y.from), to: Math.max(x.to, y.to)};
  return figure(
      'baseline', 'Score against the baseline', {
        note: 'The baseline score uses the plain distance from the median beat, without a model, and the same ' +
            'rhythm. On the diagonal both scores agree.'
      },
      chart('Score of each beat against its baseline score', {
        x: {...both, label: 'baseline score'},
        y: {...both, label: 'score'},
        height: 430,
        pick: of,
        draw: (pen) => {
          drawDensity(pen, points, [[both.from, both.from], [both.to, both.to]]);
          if (facts.threshold < both.to) pen.rule('y', facts.threshold, 'ink', 'threshold');
        }
      }));
}

function addScores() {
  const left = [training(), diagnosis()];
  addSection(
      'model', 'Scores', 'Model and scores',
      facts.published ?
          'A score is the error with which the model decodes a beat, relative to the training beats.' :
          'A score is the sum of waveform, rhythm and class. Waveform and rhythm are about 0 for a normal beat; ' +
              'class grows with the log odds of S and V.',
      scoresFigure(), facts.published ? stacks([left[0]], [left[1]]) : stacks(left, [baseline()]));
}
