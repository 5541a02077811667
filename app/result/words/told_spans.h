// app/result/words/told_spans.h — the spans of some kinds of episodes.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "app/result/run_result.h"

namespace beatscan {

// Returns the spans of episodes with one of these labels, by their start; none without episodes.
inline std::vector<TimeSpan> told_spans(const RunResult& result, std::initializer_list<EpisodeLabel> labels) {
  std::vector<TimeSpan> spans;
  if (!result.rhythm) return spans;
  for (const Episode& its : result.rhythm->episodes.list)
    if (std::ranges::find(labels, its.label) != labels.end()) spans.push_back({its.start, its.end});
  std::ranges::sort(spans, {}, &TimeSpan::start);
  return spans;
}

// Says whether a sample lies in one of these spans, which are in order and do not overlap.
inline bool is_within(const std::vector<TimeSpan>& spans, double sample) {
  const auto next = std::ranges::upper_bound(spans, sample, {}, &TimeSpan::start);
  return next != spans.begin() && sample < std::prev(next)->end;
}

}  // namespace beatscan
