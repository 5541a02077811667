#include "stages/episodes/intervals.h"

#include <algorithm>

#include "kernels/beats/judge_beats.h"

namespace beatscan {

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
  for (std::int64_t i = 0; i < std::ssize(linked); ++i) {
    const double rr = interval_of(beats, i);
    linked[i] = !beats.broken[i] && !hidden[i] && rr >= shortest && rr <= longest;
  }
  return linked;
}

std::vector<IntervalRun> joined_runs(const RhythmBeats& beats, std::span<const std::int64_t> places,
                                     std::span<const std::uint8_t> holds, const IntervalFlags& hidden, double join) {
  std::vector<IntervalRun> runs;
  bool open = false;
  for (std::size_t m = 0; m < places.size(); ++m) {
    const std::int64_t i = places[m];
    if (open) {
      const std::int64_t next = runs.back().last + 1;
      const double apart = beats.r_peaks[i] - beats.r_peaks[next];
      open = apart <= join && std::find(hidden.begin() + next, hidden.begin() + i, 1) == hidden.begin() + i;
    }
    if (holds[m] && open)
      runs.back() = {runs.back().first, i, runs.back().used + 1};
    else if (holds[m])
      runs.push_back({i, i, 1});
    open = holds[m];
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
  std::vector<std::int64_t> places;
  places.reserve(flags.size());
  for (std::int64_t i = 0; i < std::ssize(flags); ++i)
    if (flags[i]) places.push_back(i);
  return places;
}

Quality worst_quality(const RhythmBeats& beats, std::int64_t first, std::int64_t last) {
  return std::ranges::max(beats.quality.subspan(first, last - first + 1), {}, poorness);
}

}  // namespace beatscan
