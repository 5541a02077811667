'use strict';
// Builds the page of elements. Texts become text nodes, so that a name in a recording cannot become markup.

const find = (selector, root = document) => root.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

// Returns an element: node('p.note', {id: 'a'}, 'text', another, …). A part that is null or '' is left out.
function node(name, attributes = {}, ...parts) {
  const [tag, ...classes] = name.split('.'), element = document.createElement(tag);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  element.append(...parts.flat(Infinity).filter((part) => part !== null && part !== undefined && part !== ''));
  return element;
}

// Returns an element of markup that this script has written.
function drawn(markup) {
  const holder = document.createElement('template');
  holder.innerHTML = markup;
  return holder.content.firstElementChild;
}

const code = (text) => node('code', {}, text);

// Returns the name of a lead as an element, cut off where it is long. The whole name then shows under the pointer.
function nameNode(tag, name) {
  const short = shortName(name);
  return node(tag, {title: short === name ? null : name}, short);
}

// Returns words as a link to the strip that shows a stretch; plain words where there is none.
function seeLink(words, from, to = from) {
  if (!exists(from)) return words;
  return node('a.see', {href: '#recording', 'data-from': from.toFixed(3), 'data-to': to.toFixed(3)}, words);
}

const rowCells = (row) => row.map((cell, i) => i ? node('td', {}, cell) : node('th', {scope: 'row'}, cell));

function table(name, head, rows) {
  return scrolling(node(
      'table.' + name, {},
      head.length ? node('thead', {}, node('tr', {}, head.map((cell) => node('th', {scope: 'col'}, cell)))) : null,
      node('tbody', {}, rows.map((row) => node('tr', {}, rowCells(row))))));
}

// Returns a box in which a table scrolls where it is too wide. The box then says so (class 'wide').
function scrolling(list) {
  const box = node('div.scroll', {}, list);
  const watch = new ResizeObserver(() => box.classList.toggle('wide', box.scrollWidth > box.clientWidth + 1));
  watch.observe(box);
  watch.observe(list);
  return box;
}

// Returns a bar that fills a share of its cell.
function meter(share, name = 'normal') {
  const width = Math.min(100, Math.max(0, 100 * share || 0)).toFixed(1);
  return node('span.meter', {}, node('span.' + name, {style: `width:${width}%`}));
}

const tiles = (list) => node(
    'dl.tiles', {},
    list.map(
        ({name, value, detail, css}) => node(
            'div.tile' + (css ? '.' + css : ''), {}, node('dt', {}, name), node('dd.value', {}, value),
            node('dd.detail', {}, detail ?? ''))));

// Returns a legend of [class, text].
const legend = (entries) => node(
    'ul.legend', {}, entries.map(([name, text]) => node('li', {}, node('span.key.' + name.replace(' ', '.')), text)));

// Returns what opens to show more. Its content is made when it is opened first.
function fold(words, make) {
  const details = node('details.more', {}, node('summary', {}, words));
  details.addEventListener('toggle', () => details.append(...make()), {once: true});
  return details;
}

// Data of the figures by their name, as functions that return {columns, rows}. The page offers them as CSV.
const exported = {};

const csvLink = (name, what, text = 'CSV') =>
    node('a.csv', {role: 'button', tabindex: 0, 'data-table': name, 'aria-label': what + ': data as CSV'}, text);

// Returns a figure. `rows` returns its data, objects of the same keys; without it there is no CSV of this name yet.
function figure(id, title, {wide, note, rows, tools = []} = {}, ...parts) {
  if (rows)
    exported[id] = () => {
      const all = rows();
      return {columns: Object.keys(all[0] ?? {}), rows: all.map(Object.values)};
    };
  return node(
      'figure' + (wide ? '.wide' : '.half'), {id, 'aria-labelledby': id + '-title'},
      node(
          'figcaption', {}, node('span.title', {id: id + '-title'}, title),
          node('span.tools', {}, tools, csvLink(id, title))),
      node('div.body', {}, parts), note ? node('p.note', {}, note) : null);
}

// Places figures side by side, in columns.
const stacks = (...columns) => node('div.stacks', {}, columns.map((column) => node('div.stack', {}, column)));

// Adds a section to the page, and its name to the navigation.
function addSection(id, name, title, lead, ...parts) {
  find('nav ul').append(node('li', {}, node('a', {href: '#' + id}, name)));
  find('main').append(node(
      'section', {id, 'aria-labelledby': id + '-title'}, node('h2', {id: id + '-title'}, title),
      lead ? node('p.lead', {}, lead) : null, parts));
}
