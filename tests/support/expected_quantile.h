// tests/support/expected_quantile.h — the q-quantile by its definition; NaN if there are no values.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace beatscan {

inline double expected_quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place), above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

}  // namespace beatscan
