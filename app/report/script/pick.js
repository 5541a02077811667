// Makes points clickable: a click chooses the nearest beat, and each plot has a ring around the chosen beat.

const kInside = 4;  // pixels from the edge to the ring of an outlier, which an axis would cover

// `of` has the functions x and y of a beat, in the values of the axes.
function buildPick(plot, of) {
  const ring = node('div.ring', {hidden: ''});
  plot.over.append(ring);
  const place = (i) => [['x', plot.over.clientWidth], ['y', plot.over.clientHeight]].map(
      ([axis, size]) => Math.max(kInside, Math.min(size - kInside, plot.valToPos(of[axis](i), axis))));
  plot.over.addEventListener('click', ({offsetX: left, offsetY: top}) => {
    let best = -1, least = 30 * 30;
    for (let i = 0; i < beats.count; ++i) {
      const [x, y] = place(i), distance = (x - left) ** 2 + (y - top) ** 2 - (beats.abnormal(i) ? 9 : 0);
      if (distance < least) [best, least] = [i, distance];
    }
    if (best >= 0) chooseBeat(best);
  });
  const show = () => {
    const {beat} = selection;
    ring.hidden = beat === null || !exists(of.x(beat)) || !exists(of.y(beat));
    if (ring.hidden) return;
    const [x, y] = place(beat);
    ring.style.left = x + 'px';
    ring.style.top = y + 'px';
  };
  onSelection(show);
  plot.hooks.setSize = [...(plot.hooks.setSize ?? []), show];
  plot.hooks.setScale = [...(plot.hooks.setScale ?? []), show];
}
