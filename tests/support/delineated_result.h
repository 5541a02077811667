// tests/support/delineated_result.h — a small result with P, QRS and T waves.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>

#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "tests/support/small_result.h"

namespace beatscan {

// judged_result() in three leads, of which the last two have one name and were delineated. Values are 4 ms, from R: P
// -40, -32, -24; QRS -10, 0, 12.5; T 40, 60, 90. The second beat has no P wave, the fourth nothing. In the third lead
// there is no T wave, and QRS begins one value later. A P wave without a QRS complex is at samples 98 to 110.
inline RunResult delineated_result() {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  RunResult result = judged_result();
  result.input.leads = {{"I", "mV"}, {"ECG", "mV"}, {"ECG", "mV"}};
  result.beats.lead_quality.assign(3, *result.beats.quality);
  result.beats.leads = {1, 2};
  result.classes.findings->groups = {{.shape = 0, .beat_class = BeatClass::normal, .beats = 1},
                                     {.shape = 3, .beat_class = BeatClass::ventricular, .beats = 1}};
  BeatWaves waves{.leads = {1, 2}};
  for (const int lead : {0, 1, 2})  // 0: over leads
    for (int beat = 0; beat < 5; ++beat) {
      const bool p = beat != 1 && beat != 3, qrs = beat != 3, t = beat != 3 && lead < 2;
      const float onset = lead < 2 ? -10 : -9;
      auto& fiducials = lead == 0 ? waves.fiducials : waves.lead_fiducials;
      for (const float value : {-40.0F, -32.0F, -24.0F}) fiducials.push_back(p ? value : kNone);
      for (const float value : {onset, 0.0F, 12.5F}) fiducials.push_back(qrs ? value : kNone);
      for (const float value : {40.0F, 60.0F, 90.0F}) fiducials.push_back(t ? value : kNone);
      if (lead > 0)
        for (const float value : {p ? 0.1F : kNone, qrs ? -0.05F : kNone, t ? 0.3004F : kNone, t ? 60.0F : kNone})
          waves.lead_amplitudes.push_back(value);
    }
  waves.qtc_ms = {420, 430, 440, kNone, 460};
  waves.st_mv = {-0.05F, -0.05F, -0.05F, kNone, -0.05F};
  waves.p_evidence = {1, 0, 1, 0, 1};
  waves.p_similarity = {1, kNone, 1, kNone, 1};
  waves.confidence = {0.98F, 1, 1, 0.25F, 1, 1, 0.75F, 1, 1, kNone, kNone, kNone, 0.9996F, 1, 1};
  waves.lead_tq_mv.assign(10, 0.01F);
  waves.non_conducted = {{1, 98, 110}};
  result.waves.beats = std::move(waves);
  result.waves.summary = summary_of_waves(*result.waves.beats, result.beats.found, *result.classes.findings,
                                          *result.input.sample_rate_hz, result.input.samples);
  return result;
}

}  // namespace beatscan
