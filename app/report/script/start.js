// Starts the script. The page can be read without it; with it, live figures take the place of the static ones over
// time.

async function start() {
  await loaded();
  document.documentElement.classList.add('js');
  viewer.build();
  buildOverview();
  for (const id of Object.keys(scatter)) buildPick(id);
  buildCards();
  buildWaves();
  buildThreshold();
  buildEpisodes();
  buildExport();
  const copy = find('#copy');
  copy?.addEventListener('click', async () => {
    await navigator.clipboard.writeText(find('#command').textContent);
    copy.textContent = 'Copied';
  });
  if (data.strip_beats.length) chooseBeat(data.strip_beats[0], false);
  document.documentElement.classList.add('ready');
  performance.mark('ready');
}

start();
