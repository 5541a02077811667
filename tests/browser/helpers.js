// Functions for the checks, which the browser runs in the page after the page's own script.

// Returns what a figure lacks, or "". A canvas needs drawn pixels, and the rows of a table need text.
function lackOfInk(figure) {
  for (const canvas of figure.querySelectorAll('canvas')) {
    if (!canvas.clientWidth) continue;  // paper has no room for it
    if (!canvas.width) return 'a canvas without size';
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let drawn = 0;
    for (let i = 3; i < pixels.length; i += 4) drawn += pixels[i] > 0;
    if (drawn < 200) return `a canvas with ${drawn} pixels`;
  }
  for (const row of figure.querySelectorAll('tbody tr'))
    if (!row.textContent.trim()) return 'an empty row';
  return figure.querySelector('canvas, svg, tbody tr, p') ? '' : 'nothing in it';
}

// Returns the box of an element in pixels of the window.
function boxOf(selector) {
  const {x, y, width, height, top, bottom} = document.querySelector(selector).getBoundingClientRect();
  return {x, y, width, height, top, bottom};
}

async function broughtIntoView(selector) {
  document.querySelector(selector).scrollIntoView({block: 'center', behavior: 'instant'});
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return boxOf(selector);
}

function countAbove(hundredths) {
  const slider = document.querySelector('#threshold');
  slider.value = hundredths;
  slider.dispatchEvent(new Event('input'));
  return countShown();
}

const countShown = () => Number(document.querySelector('#threshold-count').dataset.count);

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const openFolds = () => {
  for (const fold of document.querySelectorAll('details.more')) fold.open = true;
  return pause(50);
};

const shownOf = (selector) => [...document.querySelectorAll(selector)].filter((part) => part.offsetParent).length;

// Returns the milliseconds to the first paint, and until everything can be used.
const times = () => ['first-contentful-paint', 'ready'].map(
    // An entry that is not there yet counts as now.
    (name) => Math.round((performance.getEntriesByName(name)[0] ?? {startTime: performance.now()}).startTime));
