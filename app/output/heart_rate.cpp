#include "app/output/heart_rate.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"

namespace beatscan {

std::vector<MeasuredRate> heart_rates(std::span<const std::int64_t> beats, std::span<const TimeSpan> breaks,
                                      double sample_rate_hz) {
  BEATSCAN_EXPECTS(sample_rate_hz > 0, "heart_rates: bad rate");
  std::vector<MeasuredRate> rates;
  std::int64_t intervals = 0, sum = 0, last = 0;  // of a window, and its number
  const auto close = [&](std::int64_t beat) {
    if (sum > 0)
      rates.push_back({beat, 60 * sample_rate_hz * static_cast<double>(intervals) / static_cast<double>(sum)});
    intervals = sum = 0;
  };
  std::size_t next = 0;
  double broken_to = -1;  // end of the last break that begins before the beat
  std::int64_t end = 0;   // beat of the last interval that counts
  for (std::size_t i = 1; i < beats.size(); ++i) {
    const auto window =
        static_cast<std::int64_t>(std::floor(static_cast<double>(beats[i]) / sample_rate_hz / kRateWindow_s));
    if (window != last) close(end);
    last = window;
    for (; next < breaks.size() && breaks[next].start < static_cast<double>(beats[i]); ++next)
      broken_to = std::max(broken_to, breaks[next].end);
    if (broken_to > static_cast<double>(beats[i - 1])) continue;
    ++intervals;
    sum += beats[i] - beats[i - 1];
    end = beats[i];
  }
  close(end);
  return rates;
}

}  // namespace beatscan
