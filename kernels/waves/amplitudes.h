// kernels/waves/amplitudes.h — amplitudes of the P wave, the ST segment and the T wave of each beat, in one lead.
//
//   level  mean of the window's values 5 to 2 before the QRS onset: 20 to 8 ms, the isoelectric line
//   P      the value at the P peak, less the level
//   ST     the value `st_values` behind the QRS offset, interpolated linearly, less the level
//   T      the value of the T wave that is farthest from the level, less the level; and its place, in values from R
// NaN where the wave is absent, where there is no QRS complex, or where the place is not within the window; ST also
// behind the T offset of the beat, and from 160 ms before the next R on.
#pragma once

#include "kernels/waves/window.h"

namespace beatscan::waves {

enum Amplitude : int { kPAmplitude, kStLevel, kTAmplitude, kTPlace };
inline constexpr int kAmplitudes = 4;

// Measures the beats first .. first + B - 1.
//   windows     [B][320] mV; local averages
//   after       [K] see rr_intervals
//   fused       [K][9] fiducials over leads, see beat_waves.h
//   st_values   0 .. 100
//   amplitudes  [B][4] mV; values
void wave_amplitudes(Cpu&, std::span<const float> windows, std::span<const double> after, std::span<const float> fused,
                     std::int64_t first, double st_values, std::span<float> amplitudes);
void wave_amplitudes(Cuda&, std::span<const float> windows, std::span<const double> after, std::span<const float> fused,
                     std::int64_t first, double st_values, std::span<float> amplitudes);

}  // namespace beatscan::waves
