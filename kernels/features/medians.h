// kernels/features/medians.h — medians of windows of 160 values, point by point: the value of rank W / 2, from 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/features/beat_shapes.h"
#include "kernels/runtime/portable.h"

namespace beatscan::features {

// Returns the median of windows.
//   windows  [W][160], W >= 1
std::vector<float> median_window(Cpu&, std::span<const float> windows);

// Writes the local beat of each block of a range (see beat_shapes). Both back ends give the same bits.
//   fit    [W] 1 for windows of the dominant shape
//   local  [ceil(B / kBlock)][160]
void local_beats(Cpu&, const ShapeRange& range, std::span<const std::uint8_t> fit, std::span<float> local);
void local_beats(Cuda&, const ShapeRange& range, std::span<const std::uint8_t> fit, std::span<float> local);

inline constexpr int kFewestFit = 5;

// The windows first .. last - 1 that the local beat of block b is made of.
struct LocalWindows {
  std::int64_t first, last;
};
BEATSCAN_HOST_DEVICE inline LocalWindows local_windows(std::int64_t skip, std::int64_t beats, std::int64_t windows,
                                                       std::int64_t b) {
  const std::int64_t begin = b * kBlock, end = begin + kBlock < beats ? begin + kBlock : beats;
  const std::int64_t first = skip + begin - kReach, last = skip + end + kReach;
  return {first > 0 ? first : 0, last < windows ? last : windows};
}

}  // namespace beatscan::features
