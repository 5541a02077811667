// kernels/features/beat_sums.h — sums over the beats of a recording, and over those of each template.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan::features {

inline constexpr int kGroups = 256;  // templates at most: their numbers are bytes
inline constexpr int kMostSeries = 8;

// sums[g][s] = sum of series[s][i] over the beats i of group g; sums[kGroups][s] over all beats. The CPU adds up in the
// order of the beats, and the GPU in parts of some hundreds, so that the last bits may differ.
//   group   [K] templates; negative: none; empty: only the sums over all beats are wanted
//   series  [S][K], at most kMostSeries
//   sums    [kGroups + 1][S]
void beat_sums(Cpu&, std::span<const std::int16_t> group, std::span<const double> series, std::span<double> sums);
void beat_sums(Cuda&, std::span<const std::int16_t> group, std::span<const double> series, std::span<double> sums);

// Returns the number of series, and checks the shapes.
int series_of(std::int64_t groups, std::int64_t values, std::int64_t sums);

}  // namespace beatscan::features
