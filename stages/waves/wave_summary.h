// stages/waves/wave_summary.h — intervals and ST levels of a recording as a whole, and hour by hour.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace beatscan {

struct BeatWaves;

// Medians over beats, in ms; NaN where fewer than kLeastMeasured beats have the interval.
struct IntervalMedians {
  std::int64_t beats = 0;  // that were examined
  double pr = 0, qrs = 0, qt = 0, qtc = 0;
  double p_share = 0;              // of the beats have a P wave
  std::vector<double> st_mv;       // [L] ST level of each lead
  std::int64_t non_conducted = 0;  // P waves without a QRS complex
};

inline constexpr std::int64_t kLeastMeasured = 3;  // beats of a median

// The minute with the longest QT interval for its heart rate.
struct LongestQtc {
  double qtc_ms;   // median of the minute's beats
  double begin_s;  // from the recording's start
};

struct WaveSummary {
  IntervalMedians all;
  std::vector<IntervalMedians> hours;     // from the recording's start; the last one may be shorter
  std::optional<LongestQtc> longest_qtc;  // of minutes with kLeastOfMinute beats that have a QTc; nothing if none has
};

inline constexpr std::int64_t kLeastOfMinute = 10;  // beats

// Summarises K beats.
//   counting  [K] 1 for a normal beat in good signal; the others are left out
WaveSummary summary_of(const BeatWaves& waves, std::span<const double> r_peaks, std::span<const std::uint8_t> counting,
                       double sample_rate_hz, std::int64_t samples);

}  // namespace beatscan
