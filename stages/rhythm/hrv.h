// stages/rhythm/hrv.h — heart rate variability, as the Task Force of the ESC and NASPE defined it in 1996.
//
//   NN     the intervals between two N in good signal that are linked (intervals.h) and lie in no AFIB, milliseconds
//   pairs  two NN that share a beat, and the difference of their intervals
//   SDNN   standard deviation of NN, divided by n - 1
//   SDANN  standard deviation of the means of NN in segments of 5 minutes, divided by n - 1. An NN belongs to the
//          segment in which it ends. A segment counts if at least `covered` of its time is NN; there are two at least
//   RMSSD  root of the mean of the squared differences
//   pNN50  share of pairs that differ by more than 50 ms, of the pairs and one, percent
//   VLF, LF, HF
//          power of NN from 0.003 to 0.04 Hz, to 0.15 Hz and to 0.4 Hz, ms^2, by Welch's method: NN are values at the
//          ends of their intervals, interpolated four times a second by a natural cubic spline, over more than 10 s by
//          a straight line. Windows of 256 s begin every 128 s, and count if at least `covered` of their time is NN. In
//          each the mean is subtracted and a Hann window applied; the spectra of the windows are averaged.
// SD1, SD2, DFA and deceleration capacity are in hrv_nonlinear.h, heart rate turbulence in hrv_turbulence.h.
// SDNN, RMSSD, pNN50, SD1 and SD2 are those of NeuroKit2 0.3.0 with the intervals and their times given.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stages/rhythm/episode.h"

namespace beatscan {

// A stretch of time from the recording's start, in seconds.
struct TimePart {
  double from_s = 0, to_s = 0;
};

// The intervals around a ventricular premature complex, see hrv_turbulence.h.
struct VpcTachogram {
  double time_s = 0;                  // of the complex
  std::array<double, 2> before_ms{};  // the two sinus intervals before its coupling interval
  std::array<double, 15> after_ms{};  // the sinus intervals after its compensatory pause
};

// NN intervals, and where each ends.
struct NnIntervals {
  std::vector<double> ms, end_s;
  std::vector<std::uint8_t> follows;  // 1 where the interval begins at the beat at which the one before ends
  std::vector<VpcTachogram> tachograms = {};
  double from_s = 0;  // where the first segment of SDANN begins
};

// Returns the NN intervals.
//   in_af  [K - 1] intervals that lie in atrial fibrillation
NnIntervals nn_intervals(const RhythmBeats& beats, const IntervalFlags& linked, const IntervalFlags& in_af);

// Returns the NN intervals outside of the episodes of atrial fibrillation.
NnIntervals nn_of_recording(const RhythmBeats& beats, const Episodes& episodes);

// Returns the NN intervals that lie in one of the parts, and the tachograms of complexes there.
//   parts  in order, apart from each other
NnIntervals nn_in(const NnIntervals& nn, std::span<const TimePart> parts);

// Counts the intervals, NN or not, that lie in one of the parts.
std::int64_t intervals_in_parts(const RhythmBeats& beats, std::span<const TimePart> parts);

// Works out heart rate variability.
//   intervals  of the recording or its part, NN or not
Hrv hrv_of(const NnIntervals& nn, std::int64_t intervals, const HrvOptions& options);

// Returns the standard deviation, divided by n - 1; nullopt of fewer than two values.
std::optional<double> standard_deviation(std::span<const double> values);

}  // namespace beatscan
