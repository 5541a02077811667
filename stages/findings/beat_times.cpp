#include "stages/findings/beat_times.h"

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

}  // namespace beatscan
