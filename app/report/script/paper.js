// Prints: the page is light, as wide as paper, and has what fits on two pages; or the strip alone.

const kPaperHeight = 194 / 25.4 * 96;  // A4 landscape without its margins, CSS pixels

function setPaper(printing) {
  const root = document.documentElement, height = (selector) => find(selector).getBoundingClientRect().height;
  root.style.setProperty('--fit', 1);
  root.classList.toggle('printing', printing);
  if (!printing) root.classList.remove('print-strip');
  viewer.forPrint = printing;
  viewer.show();
  fitPlots();
  if (!printing) return;
  const first = height('.banner') + height('#verdict') + height('#recording h2') + height('#overview') + 20;
  root.style.setProperty('--fit', Math.min(1, kPaperHeight / first).toFixed(3));
  const end = find('#gallery').getBoundingClientRect().top + kPaperHeight - height('#strip-home') - 12;
  const cards = findAll('#gallery .card');
  for (const card of cards) card.classList.remove('no-room');
  const without = cards.filter((card) => card.getBoundingClientRect().bottom > end);
  for (const card of without) card.classList.add('no-room');
  fitPlots();
}

function buildPaper() {
  addEventListener('beforeprint', () => setPaper(true));
  addEventListener('afterprint', () => setPaper(false));
}
