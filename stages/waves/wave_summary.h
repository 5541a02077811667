// stages/waves/wave_summary.h — intervals of waves, and their medians over a recording.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stages/waves/waves.h"

namespace beatscan {

// Intervals in milliseconds; NaN if a wave is absent.
struct WaveIntervals {
  float pr = 0, qrs = 0, qt = 0;
};

// Returns the intervals of a beat.
//   fiducials  [9] in values of 4 ms, see kernels/waves/beat_waves.h
WaveIntervals wave_intervals(std::span<const float> fiducials);

// Returns the RR interval in seconds that the QT interval of each beat is corrected by: the median of the intervals
// between the beats i - 8 .. i + 8, which its local average is made of. NaN if all of them are invalid.
//   r_peaks  [K] samples, ascending
//   broken   [K - 1] 1 where the interval after a beat is no RR interval, because beats may be missing in it
std::vector<double> local_rr_s(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz);

// Returns QTc in ms of a QT interval in ms, with RR in seconds:
//   bazett      QT / RR^(1/2)                 Bazett, Heart 7:353, 1920
//   fridericia  QT / RR^(1/3)                 Fridericia, Acta Med Scand 53:469, 1920
//   framingham  QT + 154 (1 - RR)             Sagie et al., Am J Cardiol 70:797, 1992
//   hodges      QT + 1.75 (60 / RR - 60)      Hodges et al., J Am Coll Cardiol 1:694, 1983
// NaN if either is NaN or RR is not positive.
double corrected_qt(double qt_ms, double rr_s, QtCorrection correction);

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
