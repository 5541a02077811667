// Axes of the figures over the whole recording.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

const kSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

// A long recording has hours on its axis, and seconds behind the minutes where they are needed.
function tickText(value, step) {
  if (!timed) return grouped(value);
  const decimals = step < 1 ? 1 : 0;
  if (facts.length < 3600) return clock(value, decimals);
  if (step < 60) return (value < 3600 ? (value < 600 ? '0:0' : '0:') : '') + clock(value, decimals);
  return Math.floor(value / 3600) + ':' + String(Math.round(value / 60) % 60).padStart(2, '0');
}

function timeAxis(last) {
  const label = find('#tachogram .x-label').textContent;
  return {
    size: last ? 24 : 6,
    show: true,
    stroke: () => colour('muted'),
    grid: {stroke: () => colour('faint'), width: 1},
    ticks: {show: false},
    label: last ? label : undefined,
    labelSize: last ? 18 : 0,
    labelFont: '11.5px system-ui, sans-serif',
    font: '11.5px system-ui, sans-serif',
    space: 90,
    incrs: timed ? [0.1, 0.2, 0.5, ...kSteps] : undefined,
    values: (plot, values, axis, space, step) => {
      if (last && timed && facts.length >= 3600) plot.axes[axis].label = label + (step < 60 ? ':s' : '');
      return values.map((value) => last ? tickText(value, step) : '');
    },
  };
}

const kValueAxis = {
  size: 52,
  gap: 6,
  stroke: () => colour('muted'),
  grid: {stroke: () => colour('faint'), width: 1},
  ticks: {show: false},
  font: '11.5px system-ui, sans-serif',
  space: 30,
};

// An axis of counts.
const kCountAxis = {
  ...kValueAxis,
  incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
};
// An axis without values, of the lane of episodes.
const kPlainAxis = {
  ...kValueAxis,
  values: () => [],
  grid: {show: false}
};
