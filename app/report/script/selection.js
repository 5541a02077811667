// Holds what the reader has chosen. All figures listen, so that they show the same beat and the same stretch of time.

const selection = {
  beat: null,
  from: 0,
  to: 0,
  added: null,  // the time of a beat that the reader has added, s
  mark: null,   // {from, to, words} of a finding that the reader looks at
};
const listeners = [];
const onSelection = (listener) => listeners.push(listener);

function select(change, byHand = true) {
  Object.assign(selection, {added: null}, change);
  for (const listener of listeners) listener(byHand);
}

// Chooses a beat. The strip shows it in the middle.
function chooseBeat(beat, byHand = true) {
  const half = viewer.seconds() * perSecond / unit / 2;
  select({beat, mark: null, from: beats.at(beat) - half, to: beats.at(beat) + half}, byHand);
}

// Chooses a stretch of the recording. A stretch that is hardly more than a point becomes the strip around it.
function chooseStretch(from, to, mark = null) {
  if (to - from < 0.2 * perSecond / unit) {
    const half = viewer.seconds() * perSecond / unit / 2;
    [from, to] = [from - half, from + half];
  }
  select({beat: null, mark, from, to});
}

// Chooses the abnormal beat before (-1) or after (1) what is chosen.
function chooseNeighbour(direction) {
  const middle = (selection.from + selection.to) / 2;
  let i = selection.beat ?? beats.nearest(middle);
  do i += direction;
  while (i >= 0 && i < beats.count && !beats.abnormal(i));
  if (i >= 0 && i < beats.count) chooseBeat(i);
}

function beatText(beat) {
  const parts = [`Beat ${grouped(beat)} at ${positionText(beats.at(beat), 2)}${dayText(beats.at(beat))}`];
  if (beats.beatClass(beat))
    parts.push('class ' + beats.beatClass(beat) + (beats.shape(beat) < 0 ? '' : ', morphology ' + beats.shape(beat)));
  if (correctedWords(beat)) parts.push(correctedWords(beat));
  if (beats.kept(beat)) {
    const score = beats.score(beat), rhythm = arrays.rhythm?.[beat];
    // The class adds to the scores of V and S.
    const rest = 'VS'.includes(beats.beatClass(beat) || '-') ? 'waveform and class' : 'waveform';
    const both = arrays.rhythm ? ` (${rest} ${fixed(score - rhythm, 1)}, rhythm ${fixed(rhythm, 1)})` : '';
    parts.push(`score ${fixed(score, 1)}${both}`, beats.abnormal(beat) ? 'abnormal' : 'normal');
  } else {
    parts.push(beats.revised(beat) ? 'no score' : 'dropped, no score');
  }
  for (const [words, interval] of [['before', beats.before(beat)], ['after', beats.next(beat)]])
    if (!Number.isNaN(interval)) parts.push(`interval ${words} it ${intervalText(interval)}`);
  if (waveIntervals(beat)) parts.push(waveIntervals(beat));
  if (beats.kept(beat) && beats.lead(beat) >= 0) parts.push('most in ' + data.leads[beats.lead(beat)].label);
  const reason = data.reasons[data.strip_beats.indexOf(beat)]?.words;
  if (reason) parts.push(reason);
  if (beats.poor(beat) && !reason) parts.push('in poor signal');  // a reason names the quality itself
  return parts.join(' · ');
}
