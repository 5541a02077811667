// The section with a table of the recording hour by hour; a shorter recording has smaller windows.

function addHours() {
  const hourly = timed && facts.length > 3 * kHour_s;
  const width = hourly ? Math.max(kHour_s, windowWidth(96)) : windowWidth(18), windows = windowsOf(width);
  const most = Math.max(...windows.map((window) => window.abnormal), 1),
        title = hourly && width === kHour_s ? 'Hours' : 'Course';
  const letters = hasClasses() ?
      [...'NSVFQ'].filter((letter) => 'NSV'.includes(letter) || windows.some(({classes}) => classes[letter])) :
      [];
  const day = facts.start_s !== null, assessesAf = isAfAssessed(), hasQuality = Boolean(summary.quality);
  const text = (position) => !timed ? grouped(position) :
      facts.length >= 2 * kHour_s   ? hoursMinutes(position) :
                                    clock(position);
  const link = ({from, to}) => node(
      'a.go', {href: '#overview', 'data-from': from.toFixed(3), 'data-to': to.toFixed(3)},
      `${text(from)} – ${text(to)}`);
  const head = [
    timed ? 'from – to' : 'samples', ...(day ? ['time of day'] : []), 'beats',
    ...(timed ? ['rate min', 'mean', 'max'] : []), ...letters, ...(data.episodes ? ['AF'] : []), 'abnormal', 'share',
    '', ...(hasQuality ? ['analysable'] : [])
  ];
  const rows = windows.map(
      (window) =>
          [link(window),
           ...(day ? [dayTime(window.from)] : []),
           grouped(window.beats),
           ...(timed ? [window.slowest, window.mean, window.fastest].map((rate) => fixed(rate, 0)) : []),
           ...letters.map((letter) => grouped(window.classes[letter] ?? 0)),
           ...(data.episodes ? [assessesAf ? percent(window.af) + (window.afIsLow ? '?' : '') : '–'] : []),
           grouped(window.abnormal),
           window.scored ? percent(window.abnormal / window.scored) : '–',
           meter(window.abnormal / most, 'abnormal'),
           ...(hasQuality ? [percent(1 - window.poor)] : []),
  ]);
  const rates = timed ?
      `Heart rates are in beats a minute: the mean over all intervals, and the slowest and the fastest mean of ${
          kRateIntervals} intervals in a row. ` :
      '';
  addSection(
      'hours', title, title, '',
      figure(
          'course',
          !timed ? `Every ${grouped(width)} samples` :
              width === kHour_s ? 'Every hour' :
                                `Every ${duration(width)}`,
          {
            wide: true,
            note: rates + 'Abnormal beats and their share are of the scored beats in good signal.',
            rows: () => windows.map(
                ({from, to, beats, slowest, mean, fastest, abnormal, poor, classes, af}) => ({
                  from,
                  to,
                  beats,
                  rate_min: slowest,
                  rate_mean: mean,
                  rate_max: fastest,
                  abnormal,
                  analysable: 1 - poor,
                  ...Object.fromEntries([...'NSVFQ'].map((letter) => [letter.toLowerCase(), classes[letter] ?? 0])),
                  af: assessesAf ? af : null
                }))
          },
          table('numbers', head, rows)));
}

// A click on a row chooses the most abnormal beat of its window, or the window's start if there is none.
function buildRows() {
  for (const link of findAll('a.go[data-from]'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const from = Number(link.dataset.from), to = Number(link.dataset.to);
      showStretch(from, to);
      let best = -1;
      for (let i = beats.from(from * unit); i < beats.count && beats.at(i) < to; ++i)
        if (beats.abnormal(i) && (best < 0 || arrays.scores[i] > arrays.scores[best])) best = i;
      best < 0 ? chooseStretch(from, from) : chooseBeat(best);
    });
}
