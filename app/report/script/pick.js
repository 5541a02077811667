// Makes scatter plots clickable: a click chooses the nearest beat, and each plot has a ring around the chosen beat.

const scatter = {
  poincare: {x: (i) => beats.before(i), y: (i) => beats.next(i)},
  plane: {x: (i) => arrays.latent_x[i], y: (i) => arrays.latent_y[i]},
  baseline: {x: (i) => arrays.baselines[i], y: (i) => beats.score(i)},
};

// Returns a function from a value to the drawing's coordinate, as chart.cpp computes it.
function scaleOf(text) {
  const [from, to, low, high, kind, linear] = text.split(' ');
  const at = kind === 'symlog' ? (value) => Math.asinh(value / linear) : (value) => value;
  const first = at(Number(from)), span = at(Number(to)) - first;
  return (value) => Number(low) + Math.min(1, Math.max(0, (at(value) - first) / span)) * (high - low);
}

function buildPick(id) {
  const svg = find(`#${id} svg.chart`);
  if (!svg) return;
  const x = scaleOf(svg.dataset.x), y = scaleOf(svg.dataset.y), of = scatter[id];
  const ring = document.createElementNS(svg.namespaceURI, 'circle');
  ring.setAttribute('class', 'selected');
  ring.setAttribute('r', 7);
  ring.setAttribute('visibility', 'hidden');
  svg.append(ring);
  svg.addEventListener('click', (event) => {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let best = -1, least = 30 * 30;
    for (let i = 0; i < beats.count; ++i) {
      const distance = (x(of.x(i)) - place.x) ** 2 + (y(of.y(i)) - place.y) ** 2 - (beats.abnormal(i) ? 9 : 0);
      if (distance < least) [best, least] = [i, distance];
    }
    if (best >= 0) chooseBeat(best);
  });
  onSelection(() => {
    const beat = selection.beat, shown = beat !== null && !Number.isNaN(of.x(beat)) && !Number.isNaN(of.y(beat));
    ring.setAttribute('visibility', shown ? 'visible' : 'hidden');
    if (!shown) return;
    ring.setAttribute('cx', x(of.x(beat)));
    ring.setAttribute('cy', y(of.y(beat)));
  });
}

function buildCards() {
  for (const card of findAll('.card')) {
    const choose = (event) => {
      event.preventDefault();
      chooseBeat(Number(card.dataset.beat));
    };
    find('.go', card).addEventListener('click', choose);
    find('svg.strip', card).addEventListener('click', choose);
  }
  onSelection(() => {
    for (const card of findAll('.card.chosen')) card.classList.remove('chosen');
    find(`#beat-${selection.beat}`)?.classList.add('chosen');
  });
  // A click on a row of the table chooses the most abnormal beat of its window, or the window's start if there is none.
  for (const link of findAll('a.go[data-from]'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const from = Number(link.dataset.from), to = Number(link.dataset.to);
      showStretch(from, to);
      let best = -1;
      for (let i = beats.from(from * unit); i < beats.count && beats.at(i) < to; ++i)
        if (beats.abnormal(i) && (best < 0 || arrays.scores[i] > arrays.scores[best])) best = i;
      best < 0 ? chooseStretch(from, from) : chooseBeat(best);
    });
}
