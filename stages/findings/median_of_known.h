// stages/findings/median_of_known.h — the median of intervals on one side of a beat.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stages/common/robust.h"

namespace beatscan {

// Returns the median of up to `most` known intervals that end at beats from `from` on in steps of `step`; those of
// beats that are set aside do not count. NaN where there is none.
//   rr     [K] interval that ends at each beat; NaN where it is not known
//   aside  [K] 1 for beats that are set aside
inline double median_of_known(const std::vector<double>& rr, const std::vector<std::uint8_t>& aside, std::int64_t from,
                              int step, int most) {
  std::vector<double> some;
  for (auto i = from; i > 0 && i < std::ssize(rr) && std::ssize(some) < most; i += step)
    if (!aside[i] && !aside[i - 1] && std::isfinite(rr[i])) some.push_back(rr[i]);
  return some.empty() ? std::numeric_limits<double>::quiet_NaN() : quantile(some, 0.5);
}

}  // namespace beatscan
