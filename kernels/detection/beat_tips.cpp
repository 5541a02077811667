#include "kernels/detection/beat_tips.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// Item k is a beat.
struct LookAtTip {
  const float* x;
  std::int64_t samples;
  const double* r_peaks;
  TipRule rule;
  BeatTip* tips;

  // Returns the sum of x over first .. last, both included.
  BEATSCAN_HOST_DEVICE double sum_of(std::int64_t first, std::int64_t last) const {
    double sum = 0;
    for (std::int64_t n = first; n <= last; ++n) sum += static_cast<double>(x[n]);
    return sum;
  }
  BEATSCAN_HOST_DEVICE std::int64_t tip_near(std::int64_t r_peak) const {
    const std::int64_t first = r_peak - rule.near, last = r_peak + rule.near;
    const double mean = sum_of(first, last) / static_cast<double>(last - first + 1);
    std::int64_t tip = first;
    double largest = -1;
    for (std::int64_t n = first; n <= last; ++n) {
      const double off = fabs(static_cast<double>(x[n]) - mean);
      if (off > largest) tip = n, largest = off;
    }
    return tip;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t k) const {
    const auto r_peak = static_cast<std::int64_t>(r_peaks[k]);
    if (r_peak - rule.near < rule.far + rule.step || r_peak + rule.near + rule.far + rule.reach >= samples) {
      tips[k] = {NAN, NAN, NAN};
      return;
    }
    const std::int64_t tip = tip_near(r_peak);
    const double base = (sum_of(tip - rule.far, tip - rule.gap) + sum_of(tip + rule.gap, tip + rule.far)) /
                        static_cast<double>(2 * (rule.far - rule.gap + 1));
    const double before = fabs(static_cast<double>(x[tip - rule.step]) - base),
                 after = fabs(static_cast<double>(x[tip + rule.step]) - base);
    float low = x[tip + rule.gap], high = low;
    for (std::int64_t n = tip + rule.gap; n <= tip + rule.reach; ++n) {
      low = x[n] < low ? x[n] : low;
      high = x[n] > high ? x[n] : high;
    }
    tips[k] = {static_cast<float>(fabs(static_cast<double>(x[tip]) - base)),
               static_cast<float>(before > after ? before : after), high - low};
  }
};

}  // namespace

void beat_tips(BackEnd& context, std::span<const float> samples, std::span<const double> r_peaks, const TipRule& rule,
               std::span<BeatTip> tips) {
  BEATSCAN_EXPECTS(r_peaks.size() == tips.size() && rule.near > 0 && rule.step > 0 && rule.gap > 0 &&
                       rule.gap < rule.far && rule.gap <= rule.reach,
                   "beat_tips: bad shape or rule");
  each(context, std::ssize(r_peaks), LookAtTip{samples.data(), std::ssize(samples), r_peaks.data(), rule, tips.data()});
}

}  // namespace beatscan
