// kernels/lists/local_quantiles.h — a sorted copy of a list, and quantiles around places of a list.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// Returns the values, none of them NaN, in ascending order.
Buffer<float, Cpu> sorted(Cpu&, std::span<const float> values);
Buffer<float, Cuda> sorted(Cuda&, std::span<const float> values);
Buffer<double, Cpu> sorted(Cpu&, std::span<const double> values);
Buffer<double, Cuda> sorted(Cuda&, std::span<const double> values);

inline constexpr int kMostReach = 1000;

// quantiles[i][k] = the q[k]-quantile of values[max(middles[i] - reach, 0)] .. values[min(middles[i] + reach, M) - 1],
// interpolated between order statistics; NaN if there are no such values.
//   values     [M] none of them NaN
//   middles    [K] 0 .. M, ascending
//   reach      1 .. kMostReach
//   q          0 .. 1
//   quantiles  [K][2]
// Both back ends give the same bits, because order statistics are exact. A wrong shape or option throws
// ErrorKind::internal.
void local_quantiles(Cpu&, std::span<const double> values, std::span<const std::int64_t> middles, int reach,
                     std::array<double, 2> q, std::span<double> quantiles);
void local_quantiles(Cuda&, std::span<const double> values, std::span<const std::int64_t> middles, int reach,
                     std::array<double, 2> q, std::span<double> quantiles);

// Makes the checks that both back ends share.
void check_local_quantiles(std::int64_t middles, int reach, std::array<double, 2> q, std::int64_t quantiles);

}  // namespace beatscan
