#include "stages/rhythm/windows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/runtime/error.h"

namespace beatscan {

WindowStatistic window_statistic(const std::string& name) {
  if (name == "mean") return WindowStatistic::mean;
  if (name == "most") return WindowStatistic::most;
  if (name == "least") return WindowStatistic::least;
  if (name == "deviation") return WindowStatistic::deviation;
  throw Error(ErrorKind::input, "the rhythm model has an unknown statistic " + name);
}

BlockWindows::BlockWindows(std::span<const float> measure, std::int64_t first, std::int64_t last, int reach)
    : reach_(reach),
      values_(last - first + 2 * reach, std::numeric_limits<float>::quiet_NaN()),
      sums_(values_.size() + 1),
      squares_(sums_.size()),
      counts_(sums_.size()) {
  const std::int64_t low = std::max<std::int64_t>(first - reach, 0), high = std::min(last + reach, std::ssize(measure));
  std::copy(measure.begin() + low, measure.begin() + high, values_.begin() + (low - (first - reach)));
  for (std::size_t j = 0; j < values_.size(); ++j) {
    const bool exists = std::isfinite(values_[j]);
    const double value = exists ? values_[j] : 0;
    sums_[j + 1] = sums_[j] + value;
    squares_[j + 1] = squares_[j] + value * value;
    counts_[j + 1] = counts_[j] + exists;
  }
}

void BlockWindows::write(WindowStatistic statistic, int reach, std::span<float> found) const {
  BEATSCAN_EXPECTS(0 <= reach && reach <= reach_ && found.size() + 2 * reach_ == values_.size(),
                   "BlockWindows: bad reach or shape");
  if (statistic == WindowStatistic::most || statistic == WindowStatistic::least)
    return write_extremes(statistic, reach, found);
  const std::int64_t from = reach_ - reach, to = reach_ + reach + 1;
  const bool deviates = statistic == WindowStatistic::deviation;
  for (std::int64_t i = 0; i < std::ssize(found); ++i) {
    const double count = counts_[i + to] - counts_[i + from];  // 0 / 0 is NaN
    const double mean = (sums_[i + to] - sums_[i + from]) / count;
    const double variance = (squares_[i + to] - squares_[i + from]) / count - mean * mean;
    found[i] = static_cast<float>(deviates ? std::sqrt(variance < 0 ? 0 : variance) : mean);
  }
}

void BlockWindows::write_extremes(WindowStatistic statistic, int reach, std::span<float> found) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float sign = statistic == WindowStatistic::most ? 1 : -1;
  std::vector<float> signed_values(values_.size());
  for (std::size_t j = 0; j < values_.size(); ++j)
    signed_values[j] = std::isfinite(values_[j]) ? sign * values_[j] : -kInfinity;
  std::ranges::fill(found, -kInfinity);
  for (int by = -reach; by <= reach; ++by) {
    const float* beside = &signed_values[reach_ + by];
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = std::max(found[i], beside[i]);
  }
  for (float& value : found) value = value == -kInfinity ? std::numeric_limits<float>::quiet_NaN() : sign * value;
}

}  // namespace beatscan
