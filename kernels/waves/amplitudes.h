// kernels/waves/amplitudes.h — amplitudes of waves, over a baseline that is taken between them.
#pragma once

#include "kernels/waves/window.h"

namespace beatscan::waves {

// The baseline of a lead: a zero-phase first-order low-pass of 0.35 Hz on block means.
//
//   blocks      m = floor(0.04 rate + 0.5) samples, at least 1; the last may be shorter; n_j samples present in block
//               j, and u_j their mean
//   levels[i] = sum_j w_j u_j / sum_j w_j over |i - j| <= 46, w_j = n_j exp(-2 pi 0.35 |i - j| m / rate); 0 without a
//               sample
// Between the centres of blocks the baseline is a straight line; before the first and after the last it is level.

inline constexpr double kBaselineHz = 0.35;
inline constexpr double kBlockS = 0.04;
inline constexpr int kBaselineReach = 46;  // blocks

// Returns m.
std::int64_t baseline_block(double rate_hz);
// Returns the number M of blocks of n samples.
std::int64_t baseline_blocks(std::int64_t n, double rate_hz);

// Computes the baseline at the blocks' centres, in the samples' unit. Both back ends give the same bits.
//   levels  [M] M = baseline_blocks(N, rate)
void baseline(Cpu&, const LeadSignal& lead, std::span<double> levels);
void baseline(Cuda&, const LeadSignal& lead, std::span<double> levels);

// Measures of one lead at the waves of each beat: amplitudes of the P wave, the ST segment and the T wave, and the
// activity between the T wave and the next beat, where f waves are seen.
//
//   level  mean of the window's values 5 to 2 before the QRS onset: 20 to 8 ms, the isoelectric line
//   P      the value at the P peak, minus the level
//   ST     the value `st_values` after the QRS offset, interpolated linearly, minus the level
//   T      the value of the T wave that is farthest from the level, minus the level; and its place, in values from R
// NaN if the wave is absent, if the lead itself shows no QRS complex, or if the place is not within the
// window; ST also after the T offset of the beat, and from 160 ms before the next R on.
//
// The TQ interval of a beat's window is [low, high): it begins after the T wave of the previous beat (without one, 80
// values, 320 ms, after that R) and at the first value of the window at the earliest, and ends at the P onset, or at
// the QRS onset (without one, at value 117) if there is no P wave.
//   activity[b] = root mean square of the window's values there, minus their regression line (least squares); NaN where
//                 the lead itself shows no QRS complex

enum Amplitude : int { kPAmplitude, kStLevel, kTAmplitude, kTPlace };
inline constexpr int kAmplitudes = 4;

// Measures amplitudes.
//   windows     [B][320] mV; local averages
//   after       [B] see rr_intervals
//   own, fused  [B][9] fiducials of the lead and over leads, see beat_waves.h
//   st_values   0 .. 100
//   amplitudes  [B][4] mV; values
void wave_amplitudes(Cpu&, std::span<const float> windows, std::span<const double> after, std::span<const float> own,
                     std::span<const float> fused, double st_values, std::span<float> amplitudes);
void wave_amplitudes(Cuda&, std::span<const float> windows, std::span<const double> after, std::span<const float> own,
                     std::span<const float> fused, double st_values, std::span<float> amplitudes);

inline constexpr int kLeastTqValues = 8;  // fewer have no activity: NaN

// Computes the activity before each of neighbouring beats; for the first of them as if no T wave were before it.
//   windows     [B][320] single beats, mV
//   before      [B] see rr_intervals
//   own, fused  [B][9] fiducials of the lead and over leads, see beat_waves.h
//   activity    [B] mV
void tq_activity(Cpu&, std::span<const float> windows, std::span<const double> before, std::span<const float> own,
                 std::span<const float> fused, std::span<float> activity);
void tq_activity(Cuda&, std::span<const float> windows, std::span<const double> before, std::span<const float> own,
                 std::span<const float> fused, std::span<float> activity);

}  // namespace beatscan::waves
