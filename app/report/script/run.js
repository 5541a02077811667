// The last sections: the comparison with reference beats, where there are some; and the run.

// --- Reference

const kTasks = [['V', 'ventricular (V) against normal'], ['SVF', 'S, V and F against normal']];
const kMethods = [['anomaly', 'score'], ['baseline', 'baseline']];

function detectionFigure({tolerance_ms, sensitivity, ppv, f1, tp, fn, fp}) {
  const rows = [
    ['sensitivity', percent(sensitivity), sensitivity], ['positive predictive value', percent(ppv), ppv],
    ['F1', fixed(f1, 4), f1], ['found', grouped(tp), tp], ['missed', grouped(fn), fn], ['false', grouped(fp), fp]
  ];
  return figure(
      'detected', 'Detection', {
        note: `A beat counts as found if it lies within ${significant(tolerance_ms, 4)} ms of a reference beat.`,
        rows: () => rows.map(([what, , value]) => ({what, value}))
      },
      table('numbers', [], rows.map((row) => row.slice(0, 2))));
}

function rankingFigure(evaluation) {
  const rows = kTasks.flatMap(
      ([task, words]) =>
          kMethods.filter(([part]) => evaluation[part])
              .map(([part, by]) => ({task, words, by, ...evaluation[part][task], first: part === 'anomaly'})));
  return figure(
      'ranked', 'Ranking', {
        note: 'A reference beat that was not found counts with the lowest score.',
        rows: () => rows.map(({task, by, auroc, average_precision}) => ({task, by, auroc, average_precision}))
      },
      table(
          'numbers', ['', 'by', 'AUROC', 'average precision', 'positives', 'negatives'],
          rows.map(
              (row) =>
                  [row.first ? row.words : '', row.by, fixed(row.auroc, 4), fixed(row.average_precision, 4),
                   row.first ? grouped(row.positives) : '', row.first ? grouped(row.negatives) : ''])));
}

function symbolsFigure({symbols, false_beats: wrong}) {
  if (!symbols) return null;
  const rows = Object.entries(symbols);
  return figure(
      'symbols', 'By reference symbol', {
        note: exists(wrong) &&
            `${grouped(wrong)} of the detected beats ${wrong === 1 ? 'matches' : 'match'} no reference beat.`,
        rows: () => rows.map(([symbol, {beats, found, anomalous}]) => ({symbol, beats, found, abnormal: anomalous}))
      },
      table(
          'numbers', ['symbol', 'beats', 'found', 'missed', 'abnormal', 'normal', ''],
          rows.map(
              ([symbol, {beats, found, anomalous}]) =>
                  [symbol, grouped(beats), grouped(found), grouped(beats - found), grouped(anomalous),
                   grouped(found - anomalous), meter(anomalous / Math.max(beats, 1), 'abnormal')])));
}

function rocFigure(evaluation) {
  const curves =
      [
        ['anomaly', 'V', 'abnormal', 'V: score'], ['anomaly', 'SVF', 'normal', 'S, V, F: score'],
        ['baseline', 'V', 'abnormal', 'V: baseline'], ['baseline', 'SVF', 'normal', 'S, V, F: baseline']
      ]
          .map(([part, task, css,
                 name]) => ({points: evaluation[part]?.[task]?.roc, dashed: part === 'baseline', css, name}))
          .filter(({points}) => points?.length);
  if (!curves.length) return null;
  return figure(
      'roc', 'ROC', {
        rows: () => curves.flatMap(
            ({name, points}) => points.map(([x, y]) => ({curve: name, false_positive_rate: x, true_positive_rate: y})))
      },
      chart('ROC curves of the score and the baseline', {
        x: {from: 0, to: 1, label: 'false positive rate'},
        y: {from: 0, to: 1, label: 'true positive rate'},
        height: 460,
        draw: (pen) => {
          pen.line([[0, 0], [1, 1]], 'median', {width: 1, dash: [2, 3]});
          for (const {points, css, dashed} of curves) pen.line(points, css, dashed ? {dash: [5, 4]} : {width: 2.2});
        }
      }),
      legend(curves.map(({css, dashed, name}) => [css + (dashed ? ' dashed' : ''), name])));
}

function addTruth() {
  const {evaluation} = summary;
  if (!evaluation) return;
  addSection(
      'truth', 'Reference', 'Compared with the reference beats', '',
      stacks(
          [detectionFigure(evaluation.detection), rankingFigure(evaluation), symbolsFigure(evaluation)],
          [rocFigure(evaluation)]));
}

// --- The run

function configFigure() {
  const head = ['option', 'value', 'default', 'meaning'], rows = data.options;
  return figure(
      'config', 'Configuration: what differs from the default', {
        wide: true,
        note: [
          'Method ', code(facts.published ? 'published' : 'r_peaks'), '. All options are in ', code('config.json'), '.'
        ],
        rows: () => rows.map(([option, value, usual]) => ({option, value, default: usual}))
      },
      rows.length ? table('config', head, rows.map(([option, value, usual,
                                                     meaning]) => [code(option), code(value), code(usual), meaning])) :
                    node('p', {}, 'Nothing: all options have their defaults.'));
}

// A bar for each stage, from its start to its end.
function stagesFigure() {
  const {stages, wall_s} = summary.run, count = stages.length;
  const end = Math.max(wall_s, ...stages.map(({start_s, seconds}) => start_s + seconds));
  const took = (seconds) => seconds < 1 ? significant(1000 * seconds, 3) + ' ms' : significant(seconds, 3) + ' s';
  return figure(
      'stages', `Where the time went: ${significant(wall_s, 3)} s`,
      {rows: () => stages.map(({name, start_s, seconds, bytes}) => ({stage: name, start_s, seconds, bytes}))},
      chart('Stages of the run over its time', {
        x: {from: 0, to: end, label: 'time from the start, s'},
        y: {from: 0, to: count, label: 'stage', kind: 'rows', names: stages.map(({name}) => name)},
        height: 50 + 24 * count,
        draw: (pen) => stages.forEach(({start_s, seconds}, i) => {
          const low = count - 1 - i, right = pen.x(start_s + seconds),
                turn = right > pen.box.left + pen.box.width - 70 * pen.pixel;
          pen.bar(start_s, start_s + seconds, low + 0.18, low + 0.82, 'normal', 2);
          pen.text(
              took(seconds), turn ? pen.x(start_s) - 6 * pen.pixel : right + 6 * pen.pixel, pen.y(low + 0.5),
              turn ? 'right' : 'left');
        })
      }));
}

function environmentFigure() {
  const {input, run, versions, seed} = summary, {device = {}, host = {}, pool} = run;
  const rows =
      [
        ['input', input.path], ['format', input.format], [severalLeads ? 'first lead' : 'column', input.column], ['unit', input.unit],
        ['size', megabytes(input.bytes)], ['SHA-256', input.sha256],
        ['range', `${significant(input.min, 4)} to ${significant(input.max, 4)}`], ['seed', seed],
        ['device', device.name], ['driver', device.driver], ['device memory, peak', pool && megabytes(pool.peak_bytes)],
        ...Object.entries(host).map(([key, value]) => ['host: ' + key.replaceAll('_', ' '), value]),
        ...Object.entries(versions)
      ].filter(([, value]) => typeof value === 'number' || typeof value === 'string' && value)
          .map(([what, value]) => [what, String(value)]);
  return figure(
      'environment', 'Input and environment', {rows: () => rows.map(([what, value]) => ({what, value}))},
      table('facts', [], rows.map(([what, value]) => [what, what === 'SHA-256' ? code(value) : value])));
}

function commandLine() {
  const {command} = summary.run;
  if (!command) return null;
  const copy = node('button', {type: 'button', id: 'copy'}, 'Copy');
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(command);
    copy.textContent = 'Copied';
  });
  return node('div.command', {}, node('code', {id: 'command'}, command), copy);
}

function addRun() {
  addSection(
      'run', 'Run', 'The run', '', commandLine(), configFigure(), stacks([stagesFigure()], [environmentFigure()]));
}
