#include "stages/common/robust.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/runtime/error.h"

namespace beatscan {

double quantile(std::vector<double>& values, double q) {
  BEATSCAN_EXPECTS(!values.empty(), "quantile: no values");
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(position);
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double low = values[below];
  if (below + 1 == std::ssize(values)) return low;
  const double high = *std::min_element(values.begin() + below + 1, values.end());
  return low + (position - static_cast<double>(below)) * (high - low);
}

RobustScale robust_scale(std::vector<double> values, double floor) {
  if (values.empty()) return {};
  const double median = quantile(values, 0.5);
  for (double& value : values) value = std::abs(value - median);
  return {median, std::max(1.4826 * quantile(values, 0.5), floor)};
}

RobustScale blended_scale(std::vector<double> values, double typical) {
  if (values.empty()) return {0, typical};
  const RobustScale own = robust_scale(std::move(values), 0);
  return {own.median, 0.5 * own.scale + 0.5 * typical};
}

std::vector<double> finite_of(const std::vector<double>& values) {
  std::vector<double> finite;
  finite.reserve(values.size());
  std::ranges::copy_if(values, std::back_inserter(finite), [](double value) { return std::isfinite(value); });
  return finite;
}

std::vector<std::int64_t> sample_places(const std::vector<std::uint8_t>& flags) {
  const auto count = static_cast<std::size_t>(std::ranges::count(flags, 1));
  const std::size_t most = std::min(count, kMostSampled);
  std::vector<std::int64_t> places;
  places.reserve(most);
  std::size_t flagged = 0, next = 0;  // flags seen so far, and the number of the flag that is chosen next
  for (std::size_t i = 0; places.size() < most; ++i) {
    if (!flags[i] || flagged++ != next) continue;
    places.push_back(static_cast<std::int64_t>(i));
    next = places.size() * count / most;
  }
  return places;
}

}  // namespace beatscan
