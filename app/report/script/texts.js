// Numbers and times as people read them.

const exists = (value) => typeof value === 'number' && Number.isFinite(value);
const signed = (text) => text.replace(/^-(?=[0.]*$)/, '').replace(/^-/, '−');
const fixed = (value, decimals) => exists(value) ? signed(value.toFixed(decimals)) : '–';
const significant = (value, digits) => exists(value) ? signed(String(Number(value.toPrecision(digits)))) : '–';
const grouped = (value) => exists(value) ? String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',') : '–';
const counted = (count, one, many = one + 's') => `${grouped(count)} ${count === 1 ? one : many}`;

// Shares near 0 % and near 100 % get the decimals that distinguish them from 0 % and 100 %.
function percent(share) {
  const value = 100 * share, apart = Math.min(value, 100 - value);
  if (!exists(share)) return '–';
  const decimals = apart <= 0 ? 0 : apart >= 0.95 ? 1 : apart >= 0.095 ? 2 : apart >= 0.0095 ? 3 : 4;
  return fixed(value, decimals) + ' %';
}

// Below it, an episode is more probably false than true; its label then has a question mark.
const kLowConfidence = 0.5;

// Returns a name that is cut off where it is long: a file may give a lead any name.
function shortName(name) {
  const kMost = 20, letters = [...name];
  return letters.length > kMost ? letters.slice(0, kMost - 1).join('') + '…' : name;
}

const two = (value) => String(value).padStart(2, '0');

function clock(seconds, decimals = 0) {
  const ticks = Math.round(Math.abs(seconds) * 10 ** decimals), whole = Math.floor(ticks / 10 ** decimals);
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
  const part = decimals ? '.' + String(ticks % 10 ** decimals).padStart(decimals, '0') : '';
  return (seconds < 0 && ticks ? '−' : '') + (hours ? hours + ':' + two(minutes) : minutes) + ':' + two(whole % 60) +
      part;
}

const hoursMinutes = (seconds) => Math.floor(Math.round(seconds / 60) / 60) + ':' + two(Math.round(seconds / 60) % 60);

function duration(seconds) {
  if (seconds < 60) return significant(seconds, 3) + ' s';
  const whole = Math.round(seconds), minutes = Math.round(seconds / 60);
  if (whole < 3600) return Math.floor(whole / 60) + ' min' + (whole % 60 ? ` ${whole % 60} s` : '');
  return grouped(Math.floor(minutes / 60)) + ' h' + (minutes % 60 ? ` ${minutes % 60} min` : '');
}

const megabytes = (bytes) => bytes < 1e6 ? significant(bytes / 1e3, 3) + ' kB' :
    bytes < 1e9                          ? significant(bytes / 1e6, 3) + ' MB' :
                                           significant(bytes / 1e9, 3) + ' GB';

const positionText = (position, decimals = 0) => timed ? clock(position, decimals) : 'sample ' + grouped(position);
// The time of day at a position, such as 10:00:12; empty where it is not known.
function dayTime(position) {
  if (facts.start_s === null) return '';
  const seconds = (Math.round(facts.start_s + position) + 86400) % 86400;
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
}
const dayText = (position) => facts.start_s === null ? '' : ` (${dayTime(position)})`;
const intervalText = (interval) => timed ? interval.toFixed(3) + ' s' : grouped(interval) + ' samples';

// Returns a text that may stand in markup.
const escaped = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

// Joins parts: "a", "a and b", "a, b and c".
const listed = (parts) => [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(Boolean).join(' and ');
