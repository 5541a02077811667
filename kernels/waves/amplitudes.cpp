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

// Returns the isoelectric line before a QRS complex.
BEATSCAN_HOST_DEVICE float isoelectric(const float* window, float qrs_onset) {
  if (!(qrs_onset == qrs_onset)) return no_amplitude();  // NaN
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

}  // namespace

void wave_amplitudes(BackEnd& context, std::span<const float> windows, std::span<const double> after,
                     std::span<const float> fused, std::int64_t first, double st_values, std::span<float> amplitudes) {
  const std::int64_t beats = std::ssize(amplitudes) / kAmplitudes;
  BEATSCAN_EXPECTS(std::ssize(amplitudes) == beats * kAmplitudes && std::ssize(windows) == beats * kValues &&
                       fused.size() == after.size() * kFiducials && first >= 0 && first + beats <= std::ssize(after) &&
                       st_values >= 0 && st_values <= 100,
                   "wave_amplitudes: bad shape");
  each(context, beats,
       [windows = windows.data(), after = after.data() + first, fused = fused.data() + first * kFiducials,
        st_values = static_cast<float>(st_values), amplitudes = amplitudes.data()] BEATSCAN_DEVICE(std::int64_t b) {
         const float* window = windows + b * kValues;
         const float* at = fused + b * kFiducials;
         float* found = amplitudes + b * kAmplitudes;
         const float level = isoelectric(window, at[kQrsOnset]);
         const float st = at[kQrsOffset] + st_values;
         // Behind a T wave, and in the 160 ms before the next R, there is no ST segment.
         const bool has_st = !(st > at[kTOffset]) && st < static_cast<float>(after[b]) - 40;
         found[kPAmplitude] = value_at(window, at[kPPeak]) - level;
         found[kStLevel] = has_st ? value_at(window, st) - level : no_amplitude();
         if (level == level && at[kTOnset] == at[kTOnset])  // not NaN
           find_t_extreme(window, at, level, found);
         else
           found[kTAmplitude] = found[kTPlace] = no_amplitude();
       });
}

}  // namespace beatscan::waves
