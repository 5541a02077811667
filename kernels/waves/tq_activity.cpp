#include "kernels/waves/tq_activity.h"

#include <cmath>

#include "kernels/runtime/error.h"
#include "kernels/waves/beat_waves.h"
#include "kernels/waves/each_beat.h"

namespace beatscan::waves {
namespace {

constexpr int kBehindR = 80;  // values to the TQ interval where there is no T wave

// Item i is a beat of the range.
struct MeasureTq {
  const float* windows;
  const double* before;
  const float* fiducials;
  std::int64_t first;
  float* activity;
  std::int32_t* counts;

  BEATSCAN_HOST_DEVICE int low_of(std::int64_t beat) const {
    const float t_offset = beat > 0 ? fiducials[(beat - 1) * kFiducials + kTOffset] : NAN;
    const double behind = std::isnan(t_offset) ? kBehindR : t_offset;
    return static_cast<int>(fmin(fmax(0.0, floor(behind + kRValue - before[beat]) + 1), double{kValues}));
  }
  BEATSCAN_HOST_DEVICE int high_of(std::int64_t beat) const {
    const float* own = fiducials + beat * kFiducials;
    if (!std::isnan(own[kPOnset])) return static_cast<int>(ceil(fmax(0.0, own[kPOnset] + double{kRValue})));
    return std::isnan(own[kQrsOnset]) ? kNoQrsOnset : static_cast<int>(ceil(own[kQrsOnset] + double{kRValue}));
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t beat = first + i;
    const float* window = windows + i * kValues;
    const int low = low_of(beat), high = high_of(beat), count = high > low ? high - low : 0;
    const double middle = (low + high - 1) / 2.0;
    double sum = 0, squares = 0, product = 0, spread = 0;
    for (int k = low; k < high; ++k) {
      const double value = window[k], distance = k - middle;
      sum += value;
      squares += value * value;
      product += value * distance;
      spread += distance * distance;
    }
    counts[beat] = count;
    if (count < kLeastTqValues) {
      activity[beat] = NAN;
      return;
    }
    const double rest = squares - sum * sum / count - product * product / spread;
    activity[beat] = static_cast<float>(sqrt(fmax(rest, 0.0) / count));
  }
};

}  // namespace

void tq_activity(BackEnd& context, std::span<const float> windows, std::span<const double> before,
                 std::span<const float> fiducials, std::int64_t first, std::span<float> activity,
                 std::span<std::int32_t> counts) {
  const auto count = static_cast<std::int64_t>(windows.size()) / kValues;
  BEATSCAN_EXPECTS(windows.size() % kValues == 0 && fiducials.size() == before.size() * kFiducials &&
                       activity.size() == before.size() && counts.size() == before.size() && first >= 0 &&
                       first + count <= static_cast<std::int64_t>(before.size()),
                   "tq_activity: bad shape");
  each_beat(context, count,
            MeasureTq{windows.data(), before.data(), fiducials.data(), first, activity.data(), counts.data()});
}

}  // namespace beatscan::waves
