// kernels/signal/signal_part.h — the smallest and the largest value of a signal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/portable.h"

namespace beatscan {

struct ValueRange {
  float min, max;
};

// Returns the largest of the parts from `first` up to, but not including, `last`; 0 if none of them is among the P
// parts.
//   parts  [P] 0 or more
BEATSCAN_HOST_DEVICE inline float largest_part(const float* parts, std::int64_t count, std::int64_t first,
                                               std::int64_t last) {
  float value = 0;
  for (std::int64_t p = first < 0 ? 0 : first; p < last && p < count; ++p) value = parts[p] > value ? parts[p] : value;
  return value;
}

// Samples [first, last).
struct Stretch {
  std::int64_t first, last;
  std::int64_t size() const { return last - first; }
};

// values[i - first] is sample i of a signal of `size` samples.
struct SignalPart {
  std::span<const float> values;
  std::int64_t first, size;
};
inline Stretch stretch_of(const SignalPart& part) {
  return {part.first, part.first + static_cast<std::int64_t>(part.values.size())};
}
template <class Array>
auto part_of(Array& array, Stretch stretch) {
  return array.span().subspan(static_cast<std::size_t>(stretch.first), static_cast<std::size_t>(stretch.size()));
}
inline SignalPart whole(std::span<const float> signal) { return {signal, 0, static_cast<std::int64_t>(signal.size())}; }

}  // namespace beatscan
