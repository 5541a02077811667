// The page can be read without all this; where it works, the static figures over time make room for live ones.

async function start() {
  await loaded();
  document.documentElement.classList.add('js');
  viewer.build();
  buildOverview();
  for (const id of Object.keys(scatter)) buildPick(id);
  buildCards();
  buildThreshold();
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
