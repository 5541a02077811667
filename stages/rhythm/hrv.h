// stages/rhythm/hrv.h — heart rate variability, as the Task Force of the ESC and NASPE defined it in 1996.
//
//   NN     the intervals between two N in good signal that are linked (intervals.h) and lie in no AFIB, milliseconds
//   pairs  two NN that share a beat, and the difference of their intervals
//   SDNN   standard deviation of NN, divided by n - 1
//   RMSSD  root of the mean of the squared differences
//   pNN50  share of pairs that differ by more than 50 ms, of the pairs and one, percent
//   LF, HF power of NN from 0.04 to 0.15 Hz and from 0.15 to 0.4 Hz, ms^2, by Welch's method: NN are values at the ends
//          of their intervals, interpolated four times a second by a natural cubic spline, over more than 10 s by a
//          straight line. Windows of 256 s begin every 128 s, and count if at least `covered` of their time is NN. In
//          each the mean is subtracted and a Hann window applied; the spectra of the windows are averaged.
// SDNN, RMSSD and pNN50 are those of NeuroKit2 0.2.13 with the intervals and their times given.
#pragma once

#include <optional>
#include <vector>

#include "stages/rhythm/episode.h"

namespace beatscan {

// NN intervals, and where each ends.
struct NnIntervals {
  std::vector<double> ms, end_s;
  std::vector<std::uint8_t> follows;  // 1 where the interval begins at the beat at which the one before ends
};

// Returns the NN intervals.
//   in_af  [K - 1] intervals that lie in atrial fibrillation
NnIntervals nn_intervals(const RhythmBeats& beats, const IntervalFlags& linked, const IntervalFlags& in_af);

// Works out heart rate variability.
//   intervals  of the recording, NN or not
Hrv hrv_of(const NnIntervals& nn, std::int64_t intervals, const HrvOptions& options);

}  // namespace beatscan
