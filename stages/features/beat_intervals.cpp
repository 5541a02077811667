#include "stages/features/beat_intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/lists/local_quantiles.h"
#include "stages/common/robust.h"

namespace beatscan {

std::vector<double> known_rr_s(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz) {
  std::vector<double> rr(r_peaks.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 1; i < rr.size(); ++i)
    if (!broken[i - 1]) rr[i] = r_peaks[i] - r_peaks[i - 1];
  const auto known = finite_of(rr);
  constexpr double kUnknownS = 0.8;
  const double fill = known.empty() ? kUnknownS * rate_hz : quantile(known, 0.5);
  for (double& value : rr)
    value = std::clamp((std::isfinite(value) ? value : fill) / rate_hz, kShortestRrS, kLongestRrS);
  return rr;
}

std::vector<double> quantiles_around(std::span<const double> values, std::span<const std::int64_t> before, int reach,
                                     double q) {
  Cpu cpu;
  std::vector<double> pairs(2 * before.size()), quantiles(before.size());
  local_quantiles(cpu, values, before, reach, {q, q}, pairs);
  for (std::size_t i = 0; i < quantiles.size(); ++i) quantiles[i] = pairs[2 * i];
  return quantiles;
}

std::vector<double> quantiles_around(std::span<const double> values, int reach, double q) {
  std::vector<std::int64_t> places(values.size());
  std::iota(places.begin(), places.end(), 0);
  return quantiles_around(values, places, reach, q);
}

std::vector<double> means_around(std::span<const double> values, int reach) {
  const std::int64_t count = std::ssize(values);
  std::vector<double> sums(count + 1), means(count);
  for (std::int64_t i = 0; i < count; ++i) sums[i + 1] = sums[i] + values[i];
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = std::max<std::int64_t>(i - reach, 0), last = std::min(i + reach + 1, count);
    means[i] = (sums[last] - sums[first]) / static_cast<double>(last - first);
  }
  return means;
}

}  // namespace beatscan
