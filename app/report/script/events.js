// Events of a diary or of the recording's file: their table, and their marks over the whole recording.

const kListedEvents = 200;
const eventsOf = () => summary.events ?? [];

// Draws a mark for each event, with its text where there are few.
function eventLane(host) {
  const events = eventsOf();
  if (!timed || !events.length) return;
  timePlot(host, {
    y: {from: 0, to: 1, label: 'events', kind: 'none'},
    height: 34,
    description: 'Events over the whole recording',
    draw: (pen) => {
      const {min, max} = pen.plot.scales.x, shown = events.filter(({time_s: at}) => min <= at && at <= max);
      for (const {time_s: at, text} of shown) pen.rule('x', at, 'median', shown.length > 12 ? '' : text);
    },
  });
}

// Returns the table of events; null where there is none.
function eventTable() {
  const events = eventsOf();
  if (!timed || !events.length) return null;
  const day = facts.start_s === null ? [] : ['time of day'];
  return figure(
      'event-table', 'Events', {
        wide: true,
        note: events.length > kListedEvents ? `The table has the first ${kListedEvents} of ${grouped(events.length)}.` : '',
        rows: () => events.map(({time_s, duration_s, text}) => ({time_s, duration_s, text}))
      },
      table(
          'numbers', ['event', 'at', ...day, 'duration'],
          events.slice(0, kListedEvents)
              .map(
                  ({time_s: at, duration_s: long, text}) =>
                      [seeLink(shortName(text), at, at + Math.min(long || 10, 60)), clock(at, 1),
                       ...(day.length ? [dayTime(at)] : []), long ? tenths(long) : ''])));
}
