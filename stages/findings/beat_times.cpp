#include "stages/findings/beat_times.h"

#include <algorithm>
#include <vector>

#include "stages/common/robust.h"

namespace beatscan {

double ratio_before(std::span<const double> rr, std::span<const double> usual, std::int64_t i, double early_ratio) {
  const double ratio = rr[i] / usual[i];
  if (i == 0 || i + 1 >= std::ssize(rr) || !(ratio < early_ratio)) return ratio;
  const auto is_on_time = [&](double interval) {
    return interval > early_ratio * usual[i] && interval < (2 - early_ratio) * usual[i];
  };
  const double both = rr[i - 1] + rr[i];
  return is_on_time(both) && is_on_time(rr[i + 1]) ? both / usual[i] : ratio;
}

double median_interval(std::span<const double> r_peaks, std::span<const std::int64_t> intervals, std::int64_t beat,
                       std::int64_t reach) {
  const auto here = std::ranges::lower_bound(intervals, beat);
  const auto before = std::min<std::int64_t>(reach, here - intervals.begin()),
             behind = std::min<std::int64_t>(reach, intervals.end() - here);
  std::vector<double> around;
  for (auto i = here - before; i != here + behind; ++i) around.push_back(r_peaks[*i + 1] - r_peaks[*i]);
  return around.empty() ? 0 : quantile(around, 0.5);
}

}  // namespace beatscan
