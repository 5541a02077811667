// Makes the threshold a slider, which counts the beats above it. The rest of the page keeps the analysis' threshold.

function buildThreshold() {
  const slider = find('#threshold'), output = find('#threshold-count'), svg = find('#scores svg.chart');
  if (!slider) return;
  const x = scaleOf(svg.dataset.x), rule = find('.rule.threshold', svg), bars = findAll('.bar', svg);
  const middles = bars.map((bar) => Number(bar.getAttribute('x')) + Number(bar.getAttribute('width')) / 2);
  const kept = arrays.flags.reduce((sum, flag) => sum + (flag & 1), 0);
  const show = (text, at, isAbove) => {
    let count = 0, poor = 0;
    for (let i = 0; i < beats.count; ++i)
      if (beats.kept(i) && isAbove(i)) {
        ++count;
        poor += beats.poor(i);
      }
    output.textContent = `${grouped(count)} ${count === 1 ? 'beat is' : 'beats are'} above ${text} (${
                             (100 * count / Math.max(kept, 1)).toFixed(2)} %)` +
        (poor ? `, ${grouped(poor)} of them in poor signal` : '');
    output.dataset.count = count;
    slider.setAttribute('aria-valuetext', text);
    rule.setAttribute('transform', `translate(${x(at) - x(facts.threshold)} 0)`);
    bars.forEach((bar, i) => bar.setAttribute('class', 'bar ' + (middles[i] > x(at) ? 'abnormal' : 'normal')));
  };
  // Stored scores are in hundredths, rounded upwards. So one is above a whole number of hundredths exactly where the
  // beat's score is.
  slider.addEventListener(
      'input', () => show((slider.value / 100).toFixed(2), slider.value / 100, (i) => arrays.scores[i] > slider.value));
  const reset = () => {
    slider.value = Math.round(facts.threshold * 100);
    show(String(Number(facts.threshold.toPrecision(4))), facts.threshold, beats.abnormal);
  };
  find('#threshold-reset').addEventListener('click', reset);
  reset();
}
