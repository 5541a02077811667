// stages/waves/wave_intervals.h — PR, QRS and QT intervals of a beat, and the QT interval corrected for the heart rate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/waves/wave_options.h"

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

}  // namespace beatscan
