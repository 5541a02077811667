#include "stages/rhythm/intervals.h"

#include <algorithm>

#include "kernels/detect/judge_beats.h"
#include "stages/rhythm/episode.h"

namespace beatscan {

std::vector<TimeSpan> parts_outside(TimeSpan span, std::span<const TimeSpan> others) {
  std::vector<TimeSpan> parts;
  for (const TimeSpan& other : others) {
    if (other.end <= span.start || other.start >= span.end) continue;
    if (other.start > span.start) parts.push_back({span.start, other.start});
    span.start = std::max(span.start, other.end);
  }
  if (span.start < span.end) parts.push_back(span);
  return parts;
}

IntervalFlags intervals_in(const RhythmBeats& beats, std::span<const TimeSpan> spans) {
  IntervalFlags inside(interval_count(beats));
  for (const TimeSpan& span : spans) {
    const auto behind = std::ranges::upper_bound(beats.r_peaks, span.start);
    std::int64_t i = std::max<std::int64_t>(behind - beats.r_peaks.begin(), 1) - 1;
    for (; i < std::ssize(inside) && beats.r_peaks[i] < span.end; ++i) inside[i] = 1;
  }
  return inside;
}

IntervalFlags linked_intervals(const RhythmBeats& beats, const IntervalFlags& hidden, const IntervalLimits& limits) {
  IntervalFlags linked(hidden.size());
  const double shortest = limits.shortest_s * beats.sample_rate_hz, longest = limits.longest_s * beats.sample_rate_hz;
  // Looks at spans of its own: a byte that is written might else be part of any list, which would be read anew.
  const std::span r_peaks = beats.r_peaks;
  const std::span broken = beats.broken, unseen = std::span<const std::uint8_t>(hidden);
  const std::span<std::uint8_t> flags = linked;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const double rr = r_peaks[i + 1] - r_peaks[i];
    flags[i] = !broken[i] & !unseen[i] & (rr >= shortest) & (rr <= longest);
  }
  return linked;
}

std::vector<IntervalRun> joined_runs(const RhythmBeats& beats, std::span<const std::int64_t> places,
                                     std::span<const std::uint8_t> holds, const IntervalFlags& hidden, double join) {
  std::vector<IntervalRun> runs;
  bool open = false;
  for (std::size_t m = 0; m < places.size(); ++m) {
    if (!holds[m]) {
      open = false;
      continue;
    }
    const std::int64_t i = places[m];
    if (open) {
      const std::int64_t next = runs.back().last + 1;
      const double apart = beats.r_peaks[i] - beats.r_peaks[next];
      open = apart <= join && std::find(hidden.begin() + next, hidden.begin() + i, 1) == hidden.begin() + i;
    }
    if (open)
      runs.back() = {runs.back().first, i, runs.back().used + 1};
    else
      runs.push_back({i, i, 1});
    open = true;
  }
  return runs;
}

Episode episode_of(const RhythmBeats& beats, const IntervalRun& run, EpisodeLabel label) {
  const double share = static_cast<double>(run.used) / static_cast<double>(run.last - run.first + 1);
  return {.start = beats.r_peaks[run.first],
          .end = beats.r_peaks[run.last + 1],
          .label = label,
          .beats = run.last - run.first + 2,
          .confidence = share,
          .quality = share < 0.5 ? worst_quality(beats, run.first, run.last + 1) : Quality::good};
}

std::vector<std::int64_t> places_of(const IntervalFlags& flags) {
  const auto count = std::ranges::count(flags, 1);
  std::vector<std::int64_t> places(count + 1);  // the last one takes the places behind the last flag that is set
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < std::ssize(flags); ++i) {
    places[next] = i;
    next += flags[i];
  }
  places.pop_back();
  return places;
}

std::vector<double> intervals_at(const RhythmBeats& beats, const std::vector<std::int64_t>& places) {
  std::vector<double> intervals(places.size());
  for (std::size_t m = 0; m < places.size(); ++m) intervals[m] = interval_of(beats, places[m]);
  return intervals;
}

Quality worst_quality(const RhythmBeats& beats, std::int64_t first, std::int64_t last) {
  return std::ranges::max(beats.quality.subspan(first, last - first + 1), {}, poorness);
}

}  // namespace beatscan
