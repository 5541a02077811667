// The list of a batch: a table of the recordings, which a click on a heading sorts.

const {columns, rows, left_out: leftOut} = JSON.parse(find('#data').textContent);

const kFewPWaves = 0.1;  // of the normal beats in good signal

const kUnits = {
  count: grouped,
  share: percent,
  seconds: (value) => value < 60 ? fixed(value, 1) + ' s' : duration(value),
  time: (value) => clock(value),
  milliseconds: (value) => fixed(value, 0) + ' ms',
};

// Numbers from the largest, texts from A, or the other way round; rows without a value come last.
const byColumn = (value, ascending) => (a, b) => {
  const [x, y] = [value(a), value(b)];
  if (x === null || y === null) return (x === null) - (y === null);
  return (typeof x === 'string' ? x.localeCompare(y) : x - y) * (ascending ? 1 : -1);
};

// Returns what stands behind a value that may mislead, and why: atrial fibrillation of low confidence, and a PR interval
// of a few beats.
function caveat({af_confidence: confidence, p_waves: waves}, key) {
  if (key === 'af_share' && exists(confidence) && confidence < kLowConfidence)
    return {mark: '?', title: `confidence ${fixed(confidence, 2)}`};
  if (key === 'pr_ms' && waves && waves.share < kFewPWaves)
    return {mark: ` (${grouped(waves.beats)})`, title: `of ${counted(waves.beats, 'beat')} with a P wave`};
  return {mark: '', title: null};
}

// Returns the part of the table for a recording: its values and, below these, what there is to say of it.
function partOf(row) {
  const complete = row.state === 'complete';
  const cells = row.values.map((value, i) => {
    const {key, unit} = columns[i], text = exists(value) ? kUnits[unit](value) : '–', {mark, title} = caveat(row, key);
    const bar = key === 'abnormal_share' && exists(value) ? `--part:${(100 * value).toFixed(2)}%` : null;
    return node(bar ? 'td.share' : 'td', {style: bar, title}, exists(value) ? text + mark : text);
  });
  const name = row.link ? [node('a', {href: row.link}, row.name)] : [row.name, ' ', node('span.state', {}, row.state)];
  if (row.revised)
    name.push(' ', node('a.state', {href: row.revised, title: 'This row is the analysis before them.'}, 'corrected'));
  return node(
      complete ? 'tbody' : 'tbody.failed', {}, node('tr', {}, node('th', {scope: 'row'}, name), cells),
      row.remark && row.remark !== row.state ?
          node('tr.remark', {}, node('td', {colspan: columns.length + 1}, node('div', {}, row.remark))) :
          null);
}

function build() {
  const list = node('table'), headings = [['recording', 'the name of its folder', ({name}) => name]];
  const small = (title) => title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());  // not of PR and QTc
  columns.forEach(({title, what}, i) => headings.push([small(title), what, (row) => row.values[i]]));
  const cells = headings.map(([title, what, value]) => {
    const button = node('button', {type: 'button'}, title), cell = node('th', {scope: 'col', title: what}, button);
    button.addEventListener('click', () => {
      const isText = title === 'recording', ascending = cell.ariaSort ? cell.ariaSort !== 'ascending' : isText;
      for (const other of cells) other.ariaSort = null;
      cell.ariaSort = ascending ? 'ascending' : 'descending';
      show([...rows].sort(byColumn(value, ascending)));
    });
    return cell;
  });
  const parts = new Map(rows.map((row) => [row, partOf(row)]));
  const show = (sorted) => list.append(...sorted.map((row) => parts.get(row)));
  list.append(node('thead', {}, node('tr', {}, cells)));
  show(rows);  // the most severe first, as they come
  find('main').append(scrolling(list));
  if (leftOut)
    find('main').append(node(
        'p', {},
        `The page shows ${grouped(rows.length)} recordings: those that are not complete, and then those with ` +
            'the most severe findings.'));
}

build();
