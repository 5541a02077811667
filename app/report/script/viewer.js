// The window of the strip: it shows what is chosen at 25 mm a second, and has buttons and keys to move on. It lies in
// its section. Where the reader chooses something elsewhere on the page, it comes to the lower edge of the screen.

const kMostLines = 6;

const viewer = {
  gain: 1,
  speed: 1,
  lines: 1,
  closed: true,
  leads: data.leads,  // that are shown, in the recording's order

  paper() {
    return {mmPerSecond: data.paper.mm_per_second * this.speed, gain: this.gain};
  },
  // Returns the seconds that fit on a line of this many millimetres.
  seconds(millimetres = this.width()) {
    const all = Math.ceil(facts.samples / perSecond);
    return Math.max(1, Math.min(Math.floor(millimetres / this.paper().mmPerSecond), 30, all));
  },
  width() {
    return (this.forPrint ? 250 : (find('.paper', this.root)?.clientWidth || 1000) * 25.4 / 96);
  },
  docked() {
    return this.root.classList.contains('docked');
  },

  scaleText() {
    const text = data.paper.text.replaceAll('25 mm', 25 * this.speed + ' mm');
    return text.replaceAll('10 mm', 10 * this.gain + ' mm');
  },

  // Says where the drawn signal comes from. `full`: all of it is at full rate; `band`: none of it is.
  sourceText(full, band) {
    if (full) return 'The signal is drawn at full rate.';
    const samples = (bin) => bin + ' samples' + (timed ? ` (${grouped(bin / facts.rate_hz * 1000)} ms)` : '');
    const bins = [...new Set(this.leads.map((lead) => lead.bin))].filter((bin) => bin > 1).map(samples);
    const where = band ? 'Here' : 'Where the signal is a band,';
    return `${where} the page has only the least and the greatest value of every ${
               bins.join(', in the other leads of every ')}. ` +
        'It has the full rate around the most abnormal beats.';
  },

  // Shows a chosen beat in the middle of one line. Shows a stretch on as many lines as it needs, or, where these would
  // be too many, its beginning.
  show() {
    const line = this.seconds() * perSecond, whole = (selection.to - selection.from) * unit;
    const single = this.docked() && !this.forPrint || selection.beat !== null, leads = this.leads.length;
    this.lines = single ? 1 : Math.max(1, Math.min(Math.floor(kMostLines / leads), Math.ceil(whole / line - 0.05)));
    const shown = this.lines * line, middle = (selection.from + selection.to) / 2 * unit;
    const first = selection.beat !== null ? arrays.samples[selection.beat] - shown / 2 :
        whole > shown || this.lines > 1   ? selection.from * unit :
                                            middle - shown / 2;
    this.first = Math.round(Math.max(0, Math.min(first, facts.samples - shown)));
    this.draw();
  },

  draw() {
    const step = this.seconds(), paper = this.paper();
    const lanes = lanesOf(this.leads, this.first, this.lines * step, paper);
    let html = '', full = true, band = true;
    for (let line = 0; line < this.lines; ++line) {
      const strip = stripSvg(this.first + line * step * perSecond, step, paper, lanes);
      html += strip.svg;
      full &&= strip.full;
      band &&= strip.band;
    }
    find('.paper', this.root).innerHTML = html;
    const end = this.first + this.lines * step * perSecond;
    const day = facts.start_s === null ? '' : ` (${dayTime(this.first / unit)} – ${dayTime(end / unit)})`;
    find('.where', this.root).textContent =
        `${positionText(this.first / unit, 1)} – ${positionText(end / unit, 1)}${day}`;
    find('.source', this.root).textContent = this.scaleText() + '. ' + this.sourceText(full, band);
    const chosen = find('.chosen-text', this.root), {beat, mark} = selection;
    chosen.textContent = chosen.title = beat !== null ? beatText(beat) : mark?.words ?? addedText();
    find('.of-beat', this.root).hidden = beat === null || facts.row_before_s === null;
    find('.of-mark', this.root).hidden = !mark || mark.to <= mark.from;
    this.drawnFrom = this.first / unit;
    this.drawnTo = end / unit;
    markWindow(this.drawnFrom, this.drawnTo);
    this.showMost();
  },

  // Scrolls the docked strip, where it is too high, to the lead that says most for the chosen beat.
  showMost() {
    const paper = find('.paper', this.root), name = find('.lead-name.most', paper);
    if (!name || paper.scrollHeight <= paper.clientHeight) return;
    paper.scrollTop += name.getBoundingClientRect().top - paper.getBoundingClientRect().top - paper.clientHeight / 3;
  },

  // Makes a button for each lead, which shows or hides it. There is always one lead at least.
  buildLeads() {
    this.root.classList.toggle('several', severalLeads);
    for (const lead of severalLeads ? data.leads : []) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = lead.label;
      button.title = lead.name;
      button.setAttribute('aria-pressed', true);
      button.addEventListener('click', () => {
        const left = data.leads.filter((other) => this.leads.includes(other) !== (other === lead));
        this.leads = left.length ? left : data.leads;
        findAll('.leads button', this.root)
            .forEach((other, i) => other.setAttribute('aria-pressed', this.leads.includes(data.leads[i])));
        this.show();
      });
      find('.leads', this.root).append(button);
    }
  },

  // Moves on by a share of what is shown. A finding that is out of sight is no longer looked at.
  move(share) {
    const shown = (this.drawnTo - this.drawnFrom);
    const from = Math.max(0, Math.min(this.drawnFrom + share * shown, facts.length - shown));
    const mark = selection.mark, inSight = mark && mark.from <= from + shown && mark.to >= from;
    select({beat: null, mark: inSight ? mark : null, from, to: from + shown});
  },

  // Docks the window at the lower edge of the screen if its own place is out of sight, or nearly so.
  place() {
    const home = find('#strip-home').getBoundingClientRect();
    const visible = Math.min(home.bottom, innerHeight) - Math.max(home.top, 45);
    const docked = visible < Math.min(0.7 * home.height, 0.4 * innerHeight) && !this.closed;
    if (docked !== this.docked()) {
      find('#strip-home').style.minHeight = docked ? home.height + 'px' : '';
      this.root.classList.toggle('docked', docked);
      this.show();
    }
  },

  build() {
    this.root = find('#strip');
    if (!arrays.wave_beats) findAll('.waves', this.root).forEach((part) => part.remove());
    for (const button of findAll('button', this.root)) button.addEventListener('click', () => this.press(button));
    this.buildLeads();
    document.addEventListener('keydown', (event) => this.key(event));
    this.root.addEventListener('click', (event) => {
      const mark = event.target.closest('[data-beat]');
      if (mark) chooseBeat(Number(mark.dataset.beat));
    });
    addEventListener('scroll', () => this.place(), {passive: true});
    addEventListener('resize', () => {
      this.place();
      this.show();
    });
    onSelection((byHand) => {
      if (byHand) this.closed = false;
      this.place();
      this.show();
    });
  },

  press(button) {
    const {move, abnormal, speed, gain, act} = button.dataset;
    if (move) this.move(Number(move));
    if (abnormal) chooseNeighbour(Number(abnormal));
    for (const [name, value] of [['speed', speed], ['gain', gain]]) {
      if (!value) continue;
      this[name] = Number(value);
      for (const other of findAll(`[data-${name}]`, this.root)) other.setAttribute('aria-pressed', other === button);
      selection.beat === null ? this.show() : chooseBeat(selection.beat);
    }
    if (act === 'waves') {
      const hidden = document.documentElement.classList.toggle('no-waves');
      button.setAttribute('aria-pressed', !hidden);
    }
    if (act === 'print') {
      document.documentElement.classList.add('print-strip');
      print();
    }
    if (act === 'close') {
      this.closed = true;
      this.place();
    }
  },

  key(event) {
    const actions = {
      ArrowLeft: () => this.move(-0.2),
      ArrowRight: () => this.move(0.2),
      PageUp: () => this.move(-1),
      PageDown: () => this.move(1),
      n: () => chooseNeighbour(1),
      p: () => chooseNeighbour(-1),
      Escape: () => {
        this.closed = true;
        this.place();
      },
      ...correctionKeys(),
    };
    // The keys of a field and, elsewhere on the page, those that scroll it keep their meaning.
    const isOutside = !this.root.contains(event.target);
    if (isOutside && event.key.startsWith('Page') || event.target.closest?.('input, select, textarea')) return;
    if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  },
};
