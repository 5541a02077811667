// tests/app/evaluation/ec57/marks.h — lists of annotations, written shortly.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "app/evaluation/annotations.h"
#include "app/evaluation/ec57/marked_beats.h"

namespace beatscan::ec57 {

using Marks = std::vector<Annotation>;

inline Annotation beat(std::int64_t sample, char symbol) { return {sample, symbol, {}}; }
inline Annotation rhythm(std::int64_t sample, std::string note) { return {sample, '+', std::move(note)}; }
inline Annotation shutdown_start(std::int64_t sample) { return {sample, '~', {}, -1}; }
inline Annotation shutdown_end(std::int64_t sample) { return {sample, '~', {}, 0}; }

// Beats at 100 Hz, a symbol at every `step` samples; a point is no beat.
inline Marks beats(std::int64_t first, std::int64_t step, const std::string& symbols) {
  Marks marks;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (symbols[i] != '.') marks.push_back(beat(first + static_cast<std::int64_t>(i) * step, symbols[i]));
  return marks;
}

// Joins lists. Annotations of one sample keep their order.
inline Marks joined(std::initializer_list<Marks> lists) {
  Marks all;
  for (const Marks& marks : lists) all.insert(all.end(), marks.begin(), marks.end());
  std::ranges::stable_sort(all, {}, &Annotation::sample);
  return all;
}

// 100 Hz: the period begins at 30,000, and the match window is 15 samples.
inline Period period_to(std::int64_t end) { return period_of(100, end, 150); }

}  // namespace beatscan::ec57
