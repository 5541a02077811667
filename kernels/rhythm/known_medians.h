// kernels/rhythm/known_medians.h — running medians of the values that exist.
#pragma once

#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// medians[i] = median of the values that exist among the nearest kMedianSide before value i, and as many from it on;
// NaN if value i does not exist, that is, is not finite. Values beyond `least` .. `most` count as the nearer limit.
//   values, medians  [K]
// Both back ends give the same bits.
inline constexpr int kMedianSide = 8;
void known_medians(Cpu&, std::span<const float> values, double least, double most, std::span<double> medians);
void known_medians(Cuda&, std::span<const float> values, double least, double most, std::span<double> medians);

}  // namespace beatscan
