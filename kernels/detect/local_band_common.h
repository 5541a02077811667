// kernels/detect/local_band_common.h — the R peak among weighted values, for both back ends.
#pragma once

#include <cstdint>

#include "kernels/runtime/portable.h"

namespace beatscan {

// The range among the values [2 reach + 1] around centres[k] in which its R peak may be. It is nearer to this centre
// than to the next ones, so that peaks are in the order of their centres and apart.
struct PeakRange {
  int first, last;
  BEATSCAN_HOST_DEVICE PeakRange(const std::int64_t* centres, std::int64_t count, std::int64_t k, int reach)
      : first(0), last(2 * reach) {
    if (k > 0 && (centres[k] - centres[k - 1]) / 2 < reach)
      first = reach - static_cast<int>((centres[k] - centres[k - 1]) / 2);
    if (k + 1 < count && (centres[k + 1] - centres[k] - 1) / 2 < reach)
      last = reach + static_cast<int>((centres[k + 1] - centres[k] - 1) / 2);
  }
};

// Returns the place of the peak in samples: the vertex of the parabola through weighted[best] and its neighbours.
//   weighted  [2 reach + 1] values around `centre`
//   best      where they are largest within the range
BEATSCAN_HOST_DEVICE inline double peak_between(const double* weighted, int reach, int best, PeakRange range,
                                                std::int64_t centre, std::int64_t n) {
  double peak = static_cast<double>(centre + best - reach);
  if (best > range.first && best < range.last) {
    const double before = weighted[best - 1], behind = weighted[best + 1];
    const double curvature = (before - weighted[best]) + (behind - weighted[best]);
    const double shift = curvature < 0 ? 0.5 * (before - behind) / curvature : 0;
    peak += shift < -0.5 ? -0.5 : shift > 0.5 ? 0.5 : shift;
  }
  const auto last = static_cast<double>(n - 1);
  return peak < 0 ? 0 : peak > last ? last : peak;
}

}  // namespace beatscan
