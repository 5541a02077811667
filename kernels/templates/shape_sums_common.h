// kernels/templates/shape_sums_common.h — the integer that a value of a row counts as.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/runtime/portable.h"
#include "kernels/templates/shape_sums.h"

namespace beatscan {

BEATSCAN_HOST_DEVICE inline std::int64_t sum_value(std::int16_t value) { return value; }
BEATSCAN_HOST_DEVICE inline std::int64_t sum_value(float value) {
  constexpr double kMost = 1099511627776.0;  // 2^40
  const double parts = rint(static_cast<double>(value) * kSumParts);
  return static_cast<std::int64_t>(parts < -kMost ? -kMost : parts > kMost ? kMost : parts);
}

}  // namespace beatscan
