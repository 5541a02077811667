#include "kernels/waves/amplitudes.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/waves/beat_waves.h"

namespace beatscan::waves {
namespace {

BEATSCAN_HOST_DEVICE float no_amplitude() { return nanf(""); }

// Returns the window's value at a place in values from R, or NaN outside of the window.
BEATSCAN_HOST_DEVICE float value_at(const float* window, float place) {
  const float k = static_cast<float>(kRValue) + place;
  if (!(k >= 0 && k < static_cast<float>(kValues - 1))) return no_amplitude();
  const int whole = static_cast<int>(k);
  return interpolate(window[whole], window[whole + 1], k - static_cast<float>(whole));
}

BEATSCAN_HOST_DEVICE bool shows_qrs(const float* own, std::int64_t b) {
  return !std::isnan(own[b * kFiducials + kQrsOnset]);
}

// Returns the isoelectric line before a QRS complex.
BEATSCAN_HOST_DEVICE float isoelectric(const float* window, float qrs_onset) {
  if (std::isnan(qrs_onset)) return no_amplitude();
  const int onset = kRValue + static_cast<int>(floorf(qrs_onset));
  if (onset < 5 || onset > kValues) return no_amplitude();
  const float sum = ((window[onset - 5] + window[onset - 4]) + window[onset - 3]) + window[onset - 2];
  return 0.25f * sum;
}

// Finds the value of a T wave that is farthest from the level.
BEATSCAN_HOST_DEVICE void find_t_extreme(const float* window, const float* at, float level, float* found) {
  const int low = kRValue + static_cast<int>(ceilf(at[kTOnset]));
  const int high = kRValue + static_cast<int>(floorf(at[kTOffset]));
  found[kTAmplitude] = found[kTPlace] = no_amplitude();
  for (int k = low < 0 ? 0 : low; k <= high && k < kValues; ++k) {
    const float apart = window[k] - level;
    if (fabsf(apart) <= fabsf(found[kTAmplitude])) continue;
    found[kTAmplitude] = apart;
    found[kTPlace] = static_cast<float>(k - kRValue);
  }
}

// Item b is a beat.
struct MeasureAmplitudes {
  const float* windows;
  const double* after;
  const float* own;
  const float* fused;
  float st_values;
  float* amplitudes;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    const float* window = windows + b * kValues;
    const float* at = fused + b * kFiducials;
    float* found = amplitudes + b * kAmplitudes;
    const float level = shows_qrs(own, b) ? isoelectric(window, at[kQrsOnset]) : no_amplitude();
    const float st = at[kQrsOffset] + st_values;
    // Behind a T wave, and in the 160 ms before the next R, there is no ST segment.
    const bool has_st = !(st > at[kTOffset]) && st < static_cast<float>(after[b]) - 40;
    found[kPAmplitude] = value_at(window, at[kPPeak]) - level;
    found[kStLevel] = has_st ? value_at(window, st) - level : no_amplitude();
    if (!std::isnan(level) && !std::isnan(at[kTOnset]))
      find_t_extreme(window, at, level, found);
    else
      found[kTAmplitude] = found[kTPlace] = no_amplitude();
  }
};

constexpr int kBehindR = 80;  // values to the TQ interval if there is no T wave

// Item b is a beat.
struct MeasureTq {
  const float* windows;
  const double* before;
  const float* own;
  const float* fused;
  float* activity;

  BEATSCAN_HOST_DEVICE int low_of(std::int64_t beat) const {
    const float t_offset = beat > 0 ? fused[(beat - 1) * kFiducials + kTOffset] : NAN;
    const double behind = std::isnan(t_offset) ? kBehindR : t_offset;
    return static_cast<int>(fmin(fmax(0.0, floor(behind + kRValue - before[beat]) + 1), double{kValues}));
  }
  BEATSCAN_HOST_DEVICE int high_of(std::int64_t beat) const {
    const float* at = fused + beat * kFiducials;
    if (!std::isnan(at[kPOnset])) return static_cast<int>(ceil(fmax(0.0, at[kPOnset] + double{kRValue})));
    return std::isnan(at[kQrsOnset]) ? kNoQrsOnset : static_cast<int>(ceil(at[kQrsOnset] + double{kRValue}));
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t beat) const {
    const float* window = windows + beat * kValues;
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
    if (count < kLeastTqValues || !shows_qrs(own, beat)) {
      activity[beat] = NAN;
      return;
    }
    const double rest = squares - sum * sum / count - product * product / spread;
    activity[beat] = static_cast<float>(sqrt(fmax(rest, 0.0) / count));
  }
};

}  // namespace

void wave_amplitudes(BackEnd& context, std::span<const float> windows, std::span<const double> after,
                     std::span<const float> own, std::span<const float> fused, double st_values,
                     std::span<float> amplitudes) {
  const auto beats = static_cast<std::int64_t>(after.size());
  BEATSCAN_EXPECTS(amplitudes.size() == after.size() * kAmplitudes && windows.size() == after.size() * kValues &&
                       own.size() == after.size() * kFiducials && fused.size() == own.size() && st_values >= 0 &&
                       st_values <= 100,
                   "wave_amplitudes: bad shape");
  each(context, beats,
       MeasureAmplitudes{windows.data(), after.data(), own.data(), fused.data(), static_cast<float>(st_values),
                         amplitudes.data()},
       kBeatGrain);
}

void tq_activity(BackEnd& context, std::span<const float> windows, std::span<const double> before,
                 std::span<const float> own, std::span<const float> fused, std::span<float> activity) {
  const auto beats = static_cast<std::int64_t>(before.size());
  BEATSCAN_EXPECTS(windows.size() == before.size() * kValues && own.size() == before.size() * kFiducials &&
                       fused.size() == own.size() && activity.size() == before.size(),
                   "tq_activity: bad shape");
  each(context, beats, MeasureTq{windows.data(), before.data(), own.data(), fused.data(), activity.data()}, kBeatGrain);
}

}  // namespace beatscan::waves
