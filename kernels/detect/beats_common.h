// kernels/detect/beats_common.h — tests one candidate and computes one row element, for both back ends.
#pragma once

#include <cstdint>

#include "kernels/detect/beats.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

// Returns whether any gap overlaps [first, last). Gaps are ascending and disjoint, so it checks the first gap that ends
// at or after `first`.
BEATSCAN_HOST_DEVICE inline bool touches_gap(const std::int64_t* gap_firsts, const std::int64_t* gap_lasts,
                                             std::int64_t gaps, std::int64_t first, std::int64_t last) {
  const std::int64_t gap = first_not_below(gap_lasts, gaps, first);
  return gap < gaps && gap_firsts[gap] < last;
}

BEATSCAN_HOST_DEVICE inline Outcome outcome_of(const std::int64_t* starts, std::int64_t size, std::int64_t i,
                                               LengthLimits limits, const std::int64_t* gap_firsts,
                                               const std::int64_t* gap_lasts, std::int64_t gaps) {
  if (i + 1 == size) return Outcome::last;
  const std::int64_t length = starts[i + 1] - starts[i];
  if (touches_gap(gap_firsts, gap_lasts, gaps, starts[i], starts[i + 1])) return Outcome::in_gap;
  if (length < limits.min_samples) return Outcome::too_short;
  return length > limits.max_samples ? Outcome::too_long : Outcome::kept;
}

// Returns the signal's value `offset` samples after `start`, or 0 after the beat's length.
BEATSCAN_HOST_DEVICE inline float row_element(const float* signal, std::int64_t n, std::int64_t start,
                                              std::int64_t length, double offset) {
  if (offset >= static_cast<double>(length)) return 0;
  const auto whole = static_cast<std::int64_t>(offset);
  const std::int64_t i = start + whole;
  const auto fraction = static_cast<float>(offset - static_cast<double>(whole));
  return fraction == 0 ? signal[i] : interpolate(signal[i], signal[i + 1 < n ? i + 1 : i], fraction);
}

}  // namespace beatscan
