// tests/stages/waves/made_waves.h — synthetic ECG with known P, QRS and T waves, and its delineation.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/pipeline/models.h"
#include "stages/io/recording/recording.h"
#include "stages/waves/waves.h"
#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {

// Beats with P waves 160 ms before and T waves 270 ms after R, except for beats without a P wave and P waves alone.
struct MadeWaves {
  double rate_hz = 360;
  std::vector<double> beats_s, without_p_s = {}, p_alone_s = {};
  double gain = 1;        // of QRS and T
  double size = 1;        // of all, in millivolts
  double behind_s = 0.9;  // of signal after the last beat

  std::vector<float> lead() const;
  std::vector<double> r_peaks() const;
};

// Returns so many beats, one RR interval apart, from 0.6 s on.
std::vector<double> beats_every(double rr_s, int beats);

using Gaps = std::vector<std::pair<std::int64_t, std::int64_t>>;  // first and last missing sample

// Delineates leads of synthetic ECG.
template <class Context>
class WavesOn : public OnBackend<Context> {
 protected:
  struct Settings {
    std::int64_t range_beats = 0;
    std::string unit = "mV";
    WaveOptions options = {};
    std::vector<Gaps> gaps = {};  // of each lead; none: of no lead
  };

  BeatWaves found_in(const std::vector<std::vector<float>>& signals, const std::vector<double>& r_peaks, double rate_hz,
                     const Settings& settings = {}) {
    return found_on(this->context(), signals, r_peaks, rate_hz, settings);
  }
  BeatWaves found_on(Context& context, const std::vector<std::vector<float>>& signals,
                     const std::vector<double>& r_peaks, double rate_hz, const Settings& settings = {}) {
    auto recording = recording_of_leads(context, signals);
    for (std::size_t l = 0; l < signals.size(); ++l) {
      auto& lead = recording.leads[l];
      std::vector<std::int64_t> firsts, lasts;
      for (const auto& [first, last] : settings.gaps.empty() ? Gaps{} : settings.gaps[l]) {
        firsts.push_back(first);
        lasts.push_back(last);
      }
      lead.gap_firsts = from_host(context, firsts);
      lead.gap_lasts = from_host(context, lasts);
      lead.unit = settings.unit;
    }
    measure_amplitudes(context, recording, rate_hz);
    const std::vector<std::int32_t> templates(r_peaks.size(), 0);
    const std::vector<std::uint8_t> broken(std::max<std::size_t>(r_peaks.size(), 1) - 1, 0);
    return delineate(context, recording, numbers_below(std::ssize(signals)), {r_peaks, templates, broken},
                     wave_model(""), settings.options, rate_hz, settings.range_beats);
  }
};

// Expects the same bits in all arrays.
void expect_same(const BeatWaves& found, const BeatWaves& expected);

// Expects what holds whatever the signal is: waves in order, within the recording, and finite numbers where one is.
void expect_sound(const BeatWaves& found, const std::vector<double>& r_peaks, std::int64_t samples, double rate_hz);

}  // namespace beatscan
