// stages/rhythm/intervals.h — which RR intervals rules of rhythm may use, and runs of those that a rule holds for.
//
// Interval i reaches from beat i to beat i + 1; K beats have K - 1 intervals.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "stages/rhythm/episode.h"

namespace beatscan {

// Returns the parts of a span that lie in none of the others, whose starts are in order.
std::vector<TimeSpan> parts_outside(TimeSpan span, std::span<const TimeSpan> others);

inline double interval_of(const RhythmBeats& beats, std::int64_t i) { return beats.r_peaks[i + 1] - beats.r_peaks[i]; }

// Returns the number of intervals: one less than beats, and 0 where there is no beat.
inline std::int64_t interval_count(const RhythmBeats& beats) {
  return std::max<std::int64_t>(std::ssize(beats.r_peaks), 1) - 1;
}

// Returns 1 for the intervals that overlap one of these spans.
//   spans  in order of their starts
IntervalFlags intervals_in(const RhythmBeats& beats, std::span<const TimeSpan> spans);

// Returns 1 for the intervals that are known, are not hidden, and lie within the limits.
IntervalFlags linked_intervals(const RhythmBeats& beats, const IntervalFlags& hidden, const IntervalLimits& limits);

// Returns 1 for the linked intervals whose two beats are in good signal and of a class that `fits` accepts.
template <class Fits>
IntervalFlags usable_intervals(const RhythmBeats& beats, const IntervalFlags& linked, Fits&& fits) {
  // Looks at spans of its own: a byte that is written might else be part of any list, which would be read anew.
  const std::span beat_classes = beats.beat_classes;
  const std::span quality = beats.quality;
  IntervalFlags serves(beat_classes.size()), usable = linked;
  const std::span<std::uint8_t> beat_serves = serves, flags = usable;
  for (std::size_t i = 0; i < beat_classes.size(); ++i)
    beat_serves[i] = (quality[i] == Quality::good) & fits(beat_classes[i]);
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] &= beat_serves[i] & beat_serves[i + 1];
  return usable;
}

// A run of intervals, from the first to the last.
struct IntervalRun {
  std::int64_t first, last;
  std::int64_t used;  // how many of them were judged
};

// Returns the runs of intervals that a rule holds for. Intervals that were not judged join two runs if they take at
// most `join` samples and none of them is hidden. An interval that was judged otherwise ends a run.
//   places  [M] the intervals that were judged, ascending
//   holds   [M]
std::vector<IntervalRun> joined_runs(const RhythmBeats& beats, std::span<const std::int64_t> places,
                                     std::span<const std::uint8_t> holds, const IntervalFlags& hidden, double join);

// Returns the run as an episode. The confidence is the share of its intervals that were judged. The quality is the
// worst of its beats where that is less than half, and else good.
Episode episode_of(const RhythmBeats& beats, const IntervalRun& run, EpisodeLabel label);

// Returns the places of the flags that are set.
std::vector<std::int64_t> places_of(const IntervalFlags& flags);

// Returns the intervals at these places, in samples.
std::vector<double> intervals_at(const RhythmBeats& beats, const std::vector<std::int64_t>& places);

// Returns the worst quality of some beats, from the first to the last.
Quality worst_quality(const RhythmBeats& beats, std::int64_t first, std::int64_t last);

}  // namespace beatscan
