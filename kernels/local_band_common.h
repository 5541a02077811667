// kernels/local_band_common.h — the R peak among weighted values, for both back ends.
#pragma once

#include <cstdint>

#include "kernels/portable.h"

namespace beatscan {

// Of weighted values [2 reach + 1] around `centre`, the `best` of which is largest.
BEATSCAN_HOST_DEVICE inline double peak_between(const double* weighted, int reach, int best, std::int64_t centre,
                                                std::int64_t n) {
  double peak = static_cast<double>(centre + best - reach);
  if (best > 0 && best < 2 * reach) {
    const double before = weighted[best - 1], behind = weighted[best + 1];
    const double curvature = (before - weighted[best]) + (behind - weighted[best]);
    const double shift = curvature < 0 ? 0.5 * (before - behind) / curvature : 0;
    peak += shift < -0.5 ? -0.5 : shift > 0.5 ? 0.5 : shift;
  }
  const auto last = static_cast<double>(n - 1);
  return peak < 0 ? 0 : peak > last ? last : peak;
}

}  // namespace beatscan
