// kernels/rhythm/running_medians.h — running medians. Both back ends give the same bytes. A wrong shape throws
// ErrorKind::internal.
#pragma once

#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostMedianReach = 16;

// medians[i] = median of x[i - reach] .. x[i + reach]; the first and the last value are repeated beyond the ends.
//   x, medians  [M]
//   reach       0 .. kMostMedianReach
void running_medians(Cpu&, std::span<const double> x, int reach, std::span<double> medians);
void running_medians(Cuda&, std::span<const double> x, int reach, std::span<double> medians);

}  // namespace beatscan
