// Offers every figure's data as CSV.

const perBeat = (columns) => ({
  columns: ['beat', timed ? 'time_s' : 'sample', ...Object.keys(columns), 'abnormal'],
  rows: Array.from(
      arrays.samples,
      (_, i) => [i, beats.at(i), ...Object.values(columns).map((value) => value(i)), Number(beats.abnormal(i))]),
});

const perPoint = (name, points, columnName) => ({
  columns: Array.from({length: arrays[name].length / points}, (_, row) => columnName(row)),
  rows: Array.from(
      {length: points},
      (_, p) => Array.from({length: arrays[name].length / points}, (_, row) => arrays[name][row * points + p])),
});

// The column that names the lead, which a result of one lead does not have.
const leadColumn = severalLeads ? ['lead'] : [];
const leadCell = (lead) => severalLeads ? [lead.name] : [];

Object.assign(exported, {
  tachogram: () => perBeat({rr_before: beats.before}),
  poincare: () => perBeat({rr_before: beats.before, rr_behind: beats.next}),
  plane: () => perBeat({latent_x: (i) => arrays.latent_x[i], latent_y: (i) => arrays.latent_y[i]}),
  baseline: () => perBeat({score: beats.score, baseline_score: (i) => arrays.baselines[i]}),
  grid: () => perPoint('grid', facts.row_points, (row) => 'row_' + row),
  generated: () => perPoint('generated', facts.generated_points, (row) => 'beat_' + row),
  envelope: () => ({
    columns: ['first_sample', 'least', 'greatest', ...leadColumn],
    rows: data.leads.flatMap(
        (lead) => Array.from(lead.low, (low, i) => [i * lead.bin, low, lead.high[i], ...leadCell(lead)])),
  }),
  gallery: () => ({
    columns: ['rank', 'beat', timed ? 'time_s' : 'sample', 'score', 'rhythm_score', 'why', ...leadColumn],
    rows: data.strip_beats.map(
        (beat, k) =>
            [beats.poor(beat) ? '' : k + 1, beat, beats.at(beat), beats.score(beat), arrays.rhythm?.[beat],
             data.reasons[k].words, ...leadCell(data.leads[data.row_leads[k]])]),
  }),
  rows: () => ({
    columns: ['beat', 'what', ...leadColumn, ...Array.from({length: facts.row_points}, (_, p) => 'p' + p)],
    rows: data.strip_beats.flatMap(
        (beat, k) => ['rows', 'decoded'].map(
            (name) =>
                [beat, name === 'rows' ? 'beat' : 'reconstruction', ...leadCell(data.leads[data.row_leads[k]]),
                 ...rowOf(name, k)])),
  }),
  strip: () => ({
    columns: ['sample', timed ? 'time_s' : 'position', 'least', 'greatest', ...leadColumn],
    rows: stripRows(),
  }),
});

// Returns the samples that the strip shows: at full rate where it draws them so, else least and greatest values.
function stripRows() {
  const first = viewer.first, last = Math.min(facts.samples, Math.round(viewer.drawnTo * unit));
  return viewer.leads.flatMap((lead) => {
    const pieces = fullRate(lead, first, last), rows = [], bin = lead.bin;
    for (const piece of pieces)
      for (let i = piece.first; i < piece.last; ++i)
        rows.push([i, i / unit, piece.value(i), piece.value(i), ...leadCell(lead)]);
    for (const band of bandsBetween(pieces, first, last))
      for (let i = Math.floor(band.first / bin); i * bin < band.last; ++i)
        rows.push([i * bin, i * bin / unit, lead.low[i], lead.high[i], ...leadCell(lead)]);
    return rows.sort((a, b) => a[0] - b[0]);
  });
}

// A cell of a table by its columns; numbers have the digits of float32.
function cell(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '';
  const text =
      typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(7))) : String(value);
  return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function csvOf(name) {
  const {columns, rows} = exported[name]();
  return [columns, ...rows].map((row) => row.map(cell).join(',')).join('\n') + '\n';
}

function saveFile(name, text, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function buildExport() {
  document.addEventListener('click', (event) => {
    const link = event.target.closest('[data-table]');
    if (link) saveFile(link.dataset.table + '.csv', csvOf(link.dataset.table), 'text/csv');
  });
  document.addEventListener('keydown', (event) => {
    if (!event.target.matches?.('[data-table]') || (event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    event.target.click();
  });
}
