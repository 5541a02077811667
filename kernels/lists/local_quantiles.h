// kernels/lists/local_quantiles.h — quantiles of a list around many of its places: the local RR interval.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostReach = 1000;

// quantiles[i][k] = the q[k]-quantile, interpolated between order statistics, of
// values[max(middles[i] - reach, 0)] .. values[min(middles[i] + reach, M) - 1]; NaN where there are none.
//   values     [M] positive
//   middles    [K] 0 .. M, ascending
//   quantiles  [K][2]
// 1 <= reach <= kMostReach. Order statistics are exact: both back ends give the same bits.
void local_quantiles(Cpu&, std::span<const double> values, std::span<const std::int64_t> middles, int reach,
                     std::array<double, 2> q, std::span<double> quantiles);
void local_quantiles(Cuda&, std::span<const double> values, std::span<const std::int64_t> middles, int reach,
                     std::array<double, 2> q, std::span<double> quantiles);

// The checks that both back ends make.
void check_local_quantiles(std::int64_t middles, int reach, std::array<double, 2> q, std::int64_t quantiles);

}  // namespace beatscan
