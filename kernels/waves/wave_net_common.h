// kernels/waves/wave_net_common.h — what both back ends of the net share.
#pragma once

#include "kernels/waves/functions.h"
#include "kernels/waves/net_layers.h"
#include "kernels/waves/wave_net.h"

namespace beatscan::waves {

inline constexpr float kHeightFactor = 10, kSignalFactor = 1.0f / 3, kMarkHalfWidth = 4;  // of the input

// A mark's place as a whole number and a rest, which together are more exact than one float.
struct MarkPlace {
  float whole, rest;
};
BEATSCAN_HOST_DEVICE inline MarkPlace place_of(double mark) {
  const double whole = floor(mark);
  return {static_cast<float>(whole), static_cast<float>(mark - whole)};
}

// Returns the height of a mark's triangle at value k.
template <class Value>
BEATSCAN_INLINE_BOTH Value mark_at(Value whole, Value rest, float k) {
  const Value none = Value{}, distance = (k - whole) - rest, negated = -distance;
  const Value height = 1.0f - (distance < 0.0f ? negated : distance) * (1 / kMarkHalfWidth);
  return height > 0.0f ? height : none;
}

// Makes the checks that both back ends share, and returns the number of windows.
std::int64_t check_wave_masks(std::span<const float> windows, std::span<const float> heights,
                              std::span<const Marks> marks, std::span<float> masks);

}  // namespace beatscan::waves
