// The list of a batch: a table of the recordings, which a click on a heading sorts.

const {columns, rows, left_out: leftOut} = JSON.parse(find('#data').textContent);

// By these the recordings are ordered at first, the first one counts most: what is most severe.
const kSeverity =
    ['vf_episodes', 'vfl_episodes', 'asys_episodes', 'vt_episodes', 'af_share', 'longest_pause_s', 'abnormal_share'];

const kUnits = {
  count: grouped,
  share: percent,
  seconds: (value) => value < 60 ? fixed(value, 1) + ' s' : duration(value),
  time: (value) => clock(value),
  milliseconds: (value) => fixed(value, 0) + ' ms',
};

const valueOf = (row, key) => row.values[columns.findIndex((column) => column.key === key)];

// Returns less than 0 where a row comes first: those that are not complete, then the most severe ones.
function bySeverity(a, b) {
  if ((a.state === 'complete') !== (b.state === 'complete')) return a.state === 'complete' ? 1 : -1;
  for (const key of kSeverity) {
    const [x, y] = [valueOf(a, key) ?? 0, valueOf(b, key) ?? 0];  // an unknown value counts as 0
    if (x !== y) return y - x;
  }
  return 0;
}

// Numbers from the largest, texts from A, or the other way round; rows without a value come last.
const byColumn = (value, ascending) => (a, b) => {
  const [x, y] = [value(a), value(b)];
  if (x === null || y === null) return (x === null) - (y === null);
  return (typeof x === 'string' ? x.localeCompare(y) : x - y) * (ascending ? 1 : -1);
};

// Returns the part of the table for a recording: its values and, below these, what there is to say of it.
function partOf(row) {
  const complete = row.state === 'complete';
  const cells = row.values.map((value, i) => {
    const {key, unit} = columns[i], text = exists(value) ? kUnits[unit](value) : '–';
    const bar = key === 'abnormal_share' && exists(value) ? `--part:${(100 * value).toFixed(2)}%` : null;
    return node(bar ? 'td.share' : 'td', {style: bar}, text);
  });
  const name = row.link ? node('a', {href: row.link}, row.name) : [row.name, ' ', node('span.state', {}, row.state)];
  return node(
      complete ? 'tbody' : 'tbody.failed', {}, node('tr', {}, node('th', {scope: 'row'}, name), cells),
      row.remark && row.remark !== row.state ?
          node('tr.remark', {}, node('td', {colspan: columns.length + 1}, row.remark)) :
          null);
}

function build() {
  const list = node('table'), headings = [['recording', 'the name of its folder', ({name}) => name]];
  columns.forEach(({title, what}, i) => headings.push([title, what, (row) => row.values[i]]));
  const cells = headings.map(([title, what, value]) => {
    const button = node('button', {type: 'button'}, title), cell = node('th', {scope: 'col', title: what}, button);
    button.addEventListener('click', () => {
      const isText = title === 'recording', ascending = cell.ariaSort ? cell.ariaSort !== 'ascending' : isText;
      for (const other of cells) other.ariaSort = null;
      cell.ariaSort = ascending ? 'ascending' : 'descending';
      show(byColumn(value, ascending));
    });
    return cell;
  });
  const parts = new Map(rows.map((row) => [row, partOf(row)]));
  const show = (order) => list.append(...[...rows].sort(order).map((row) => parts.get(row)));
  list.append(node('thead', {}, node('tr', {}, cells)));
  show(bySeverity);
  find('main').append(node('div.scroll', {}, list));
  if (leftOut)
    find('main').append(node(
        'p', {},
        `The page shows ${grouped(rows.length)} recordings: those that are not complete, and then those with ` +
            'the largest share of abnormal beats.'));
}

build();
