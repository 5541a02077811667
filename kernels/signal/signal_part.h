// kernels/signal/signal_part.h — a part of a signal; the rest need not be in memory.
#pragma once

#include <cstdint>
#include <span>

namespace beatscan {

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
