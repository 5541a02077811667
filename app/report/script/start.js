// Starts the script, which makes the page of its data.

// Returns the names of the leads that were read. A result of an older version has one column.
function leadNames() {
  const names = (summary.input.leads ?? []).map(({name}) => name).filter(Boolean);
  if (names.length < 2) return ['column ', nameNode('code', summary.input.column ?? '')];
  return ['leads ', names.flatMap((name, i) => i ? [', ', nameNode('code', name)] : [nameNode('code', name)])];
}

// Says what a reader has corrected in this result; empty where nothing was.
function revisionWords() {
  if (!data.revision) return '';
  const {beats, inserted, deleted, templates, episodes, noise_s} = data.revision;
  const parts =
      [
        [beats, 'beat'], [inserted, 'added beat'], [deleted, 'deleted beat'], [templates, 'morphology', 'morphologies'],
        [episodes, 'episode']
      ].filter(([count]) => count)
          .map((part) => counted(...part));
  if (noise_s) parts.push(`${duration(noise_s)} of noise`);
  return ' · revised by a reader' + (parts.length ? ': ' + parts.join(', ') : '');
}

function fillBanner() {
  find('.product span').textContent = summary.versions.beatscan;
  const length =
      timed ? `${duration(facts.length)} at ${significant(facts.rate_hz, 6)} Hz` : counted(facts.samples, 'sample');
  find('.banner .facts').append(length, ' · ', ...leadNames().flat(), revisionWords());
}

// Makes a section. A result that another version wrote, or that is damaged, may lack what it needs.
function attempt(make) {
  try {
    make();
  } catch (error) {
    console.error(error);
    find('main').append(node(
        'p.lead', {}, `A part of the page cannot be shown, because the result is not as expected: ${error.message}.`));
  }
}

async function start() {
  await loaded();
  findEpisodes();
  attempt(fillBanner);
  for (const add
           of [addVerdict, addRecording, addEpisodes, addIntervals, addShapes, addGallery, addHours, addRhythm,
               addLatents, addScores, addTruth, addRun])
    attempt(add);
  viewer.build();
  buildPlots();
  buildCards();
  buildRows();
  buildLinks();
  buildExport();
  buildPaper();
  if (data.strip_beats.length) chooseBeat(data.strip_beats[0], false);
  attempt(buildCorrections);
  document.documentElement.classList.add('ready');
  performance.mark('ready');
}

start();
