#include "stages/features/beat_intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/lists/sorted_window.h"
#include "kernels/runtime/parallel.h"
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
  constexpr std::int64_t kGrain = 2048;
  std::vector<double> quantiles(before.size());
  parallel_for(Cpu(), std::ssize(before), kGrain, [&](std::int64_t first, std::int64_t last) {
    SortedWindow<double> window(values);
    for (std::int64_t i = first; i < last; ++i) {
      window.move_to(std::max<std::int64_t>(before[i] - reach, 0), std::min(before[i] + reach, std::ssize(values)));
      quantiles[i] = quantile_of_sorted(window.sorted(), q);
    }
  });
  return quantiles;
}

std::vector<double> quantiles_around(std::span<const double> values, int reach, double q) {
  std::vector<std::int64_t> places(values.size());
  std::iota(places.begin(), places.end(), 0);
  return quantiles_around(values, places, reach, q);
}

std::vector<double> known_medians(std::span<const double> values, int reach) {
  const auto known = some_values(values, [&](std::int64_t i) { return std::isfinite(values[i]); });
  if (known.values.empty()) return std::vector<double>(values.size(), std::numeric_limits<double>::quiet_NaN());
  return quantiles_around(known.values, known.before, reach, 0.5);
}

std::vector<double> means_around(std::span<const double> values, int reach) {
  constexpr std::int64_t kBlock = 4096;  // has sums of its own, so that any number of threads gives the same bits
  const std::int64_t count = std::ssize(values), blocks = (count + kBlock - 1) / kBlock;
  std::vector<double> means(count);
  parallel_each(Cpu(), blocks, [&](std::int64_t block) {
    const std::int64_t begin = block * kBlock, end = std::min(begin + kBlock, count);
    const std::int64_t low = std::max<std::int64_t>(begin - reach, 0), high = std::min(end + reach, count);
    std::vector<double> sums(high - low + 1);
    for (std::int64_t i = low; i < high; ++i) sums[i - low + 1] = sums[i - low] + values[i];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = std::max<std::int64_t>(i - reach, 0), last = std::min(i + reach + 1, count);
      means[i] = (sums[last - low] - sums[first - low]) / static_cast<double>(last - first);
    }
  });
  return means;
}

}  // namespace beatscan
