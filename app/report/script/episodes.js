// Shows episodes: the lane below the signal, the links that lead to a strip, and the table's filter.

const kRowPixels = 30;

// The episodes that the page has, in order of time; null where there are none.
const episodes = data.episodes && {
  ...data.episodes,
  get count() {
    return this.from.length;
  },
  label: (i) => episodes.names[episodes.name[i]][0],
  words: (i) => episodes.names[episodes.name[i]][1],
  row: (i) => episodes.rows.findIndex(([group]) => group === episodes.names[episodes.name[i]][2]),
  text: (i) => `${episodes.words(i)}, ${positionText(episodes.from[i], 1)} – ${positionText(episodes.to[i], 1)}`,
};

// Draws a row for each group, with its name above the episodes. An episode is two pixels wide at least.
function drawEpisodes(plot, ctx, bbox, to) {
  const high = bbox.height / episodes.rows.length;
  for (let i = 0; i < episodes.count; ++i) {
    const left = to.x(episodes.from[i]), right = to.x(episodes.to[i]);
    if (right < bbox.left || left > bbox.left + bbox.width) continue;
    const row = episodes.row(i);
    ctx.fillStyle = colour('episode-' + episodes.rows[row][0]);
    ctx.fillRect(left, bbox.top + (row + 0.45) * high, Math.max(2 * devicePixelRatio, right - left), 0.5 * high);
  }
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  episodes.rows.forEach(([, name], row) => {
    ctx.fillStyle = colour('ink');
    ctx.fillText(name, bbox.left + 4 * devicePixelRatio, bbox.top + (row + 0.24) * high);
  });
}

// Returns the episodes within a distance of a position, of all rows or of one.
function episodesAt(position, reach = 0, row = null) {
  const found = [];
  for (let i = 0; episodes && i < episodes.count && episodes.from[i] <= position + reach; ++i)
    if (episodes.to[i] >= position - reach && (row === null || episodes.row(i) === row)) found.push(i);
  return found;
}

// Returns the shortest episode under the pointer, or else one that is at most four pixels away; -1 without one.
function episodeUnder(plot) {
  const {left, top} = plot.cursor, row = Math.floor(top / plot.over.clientHeight * episodes.rows.length);
  const reach = plot.posToVal(left + 4, 'x') - plot.posToVal(left, 'x');
  const length = (i) => episodes.to[i] - episodes.from[i];
  for (const within of [0, reach]) {
    const found = episodesAt(plot.posToVal(left, 'x'), within, row).sort((a, b) => length(a) - length(b));
    if (found.length) return found[0];
  }
  return -1;
}

// Shows a stretch with a second on either side, and shades it. `words` tell what it is.
function see(from, to, words) {
  const edge = perSecond / unit;
  if (to > from)
    chooseStretch(Math.max(0, from - edge), Math.min(facts.length, to + edge), {from, to, words});
  else
    chooseStretch(from, to, {from, to, words});
}

function buildEpisodes() {
  for (const link of findAll('a.see'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      see(Number(link.dataset.from), Number(link.dataset.to), link.textContent);
    });
  const buttons = findAll('[data-filter]');
  for (const button of buttons)
    button.addEventListener('click', () => {
      for (const other of buttons) other.setAttribute('aria-pressed', other === button);
      for (const row of findAll('#episode-table tbody tr'))
        row.hidden = button.dataset.filter !== '' && find('.see', row).dataset.label !== button.dataset.filter;
    });
}
