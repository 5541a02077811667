// kernels/features/medians.h — medians of windows of 160 values, point by point: the value of rank W / 2, from 0. And
// medians of the measures of beats.
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

// Writes the median of the chosen windows, or of all if `chosen` is empty; NaN of none. Both back ends give the same
// bits.
//   windows  [W][160], W <= kMostRows
//   chosen   [W]
//   median   [160]
inline constexpr std::int64_t kMostRows = 8192;
void median_window(Cpu&, std::span<const float> windows, std::span<const std::uint8_t> chosen, std::span<float> median);
void median_window(Cuda&, std::span<const float> windows, std::span<const std::uint8_t> chosen,
                   std::span<float> median);

// Writes the median of each measure over some beats, of its finite values: the mean of the two in the middle where
// their number is even; 0 of none. Both back ends give the same bits.
//   measures  [K][kShapeMeasures]
//   beats     [P] P <= kMostRows
//   medians   [kShapeMeasures]
void measure_medians(Cpu&, std::span<const float> measures, std::span<const std::int64_t> beats,
                     std::span<double> medians);
void measure_medians(Cuda&, std::span<const float> measures, std::span<const std::int64_t> beats,
                     std::span<double> medians);

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
