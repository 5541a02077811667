#include "stages/robust.h"

#include <algorithm>
#include <cmath>

namespace beatscan {

double quantile(std::vector<double>& values, double q) {
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(position);
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double low = values[below];
  if (below + 1 == std::ssize(values)) return low;
  const double high = *std::min_element(values.begin() + below + 1, values.end());
  return low + (position - static_cast<double>(below)) * (high - low);
}

RobustScale robust_scale(const std::vector<double>& values, double floor) {
  std::vector<double> chosen;
  const std::size_t count = std::min(values.size(), kMostForScale);
  for (std::size_t i = 0; i < count; ++i)
    if (const double value = values[i * values.size() / count]; std::isfinite(value)) chosen.push_back(value);
  if (chosen.empty()) return {};
  const double median = quantile(chosen, 0.5);
  for (double& value : chosen) value = std::abs(value - median);
  return {median, std::max(1.4826 * quantile(chosen, 0.5), floor)};
}

RobustScale blended_scale(const std::vector<double>& values, double typical) {
  const RobustScale own = robust_scale(values, 0);
  return {own.median, 0.5 * own.scale + 0.5 * typical};
}

std::vector<double> flagged(const std::vector<double>& values, const std::vector<std::uint8_t>& flags) {
  std::vector<double> chosen;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (flags[i]) chosen.push_back(values[i]);
  return chosen;
}

}  // namespace beatscan
