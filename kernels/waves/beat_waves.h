// kernels/waves/beat_waves.h — finds onsets and offsets of P, QRS and T waves in masks, and the evidence of P waves.
//
// A run of a mask in a range [low, high) is a row of values at 0.5 or above; runs with at most `gap` values between
// them are one, and runs of fewer than `least` values do not count. Its weight is the sum of the mask from its first to
// its last value. Of each wave the heaviest run is taken, the first of equals, and its onset and offset are where the
// mask crosses 0.5, by linear interpolation.
//   QRS  [100, 155), gap 3, least 1
//   T    [floor(QRS offset) + 1, min(320, floor(125 + after - 8))), gap 3, least 8
//   P    [low, floor(QRS onset) + 2), gap 2, least 5; low is the greatest of 0, floor(125 - before + 25), and the value
//        after the T wave of the previous beat
// Without a QRS complex P ends before value 119 and T begins at 138. The P peak is the middle between onset and offset,
// the T peak the mask's greatest value in the run (where several are the same up to kMaskError, it may be any of them).
#pragma once

#include "kernels/waves/amplitudes.h"
#include "kernels/waves/window.h"

namespace beatscan::waves {

// Fiducials of a beat, in values from R; NaN if there is no wave. r_peak is 0, and NaN without a QRS complex.
enum Fiducial : int { kPOnset, kPPeak, kPOffset, kQrsOnset, kRPeak, kQrsOffset, kTOnset, kTPeak, kTOffset };
inline constexpr int kFiducials = 9;
inline constexpr int kNoQrsOnset = 117;  // values; where P waves and TQ intervals end without a QRS complex

// Finds the waves of neighbouring beats in one lead. A P wave begins after the T wave of the previous beat; the first
// of the beats has none before it.
//   masks          [B][3][320]
//   before, after  [B] see rr_intervals
//   fiducials      [B][9]
void beat_waves(Cpu&, std::span<const float> masks, std::span<const double> before, std::span<const double> after,
                std::span<float> fiducials);
void beat_waves(Cuda&, std::span<const float> masks, std::span<const double> before, std::span<const double> after,
                std::span<float> fiducials);

// Computes the evidence of a P wave before each beat, in one lead: the greatest mean of five neighbouring values of the
// single beat's P mask, all within the P range of the local average; 0 in a shorter range.
//   masks      [B][3][320] of single beats
//   fiducials  [B][9] of the local averages
//   evidence   [B] 0 .. 1
void p_evidence(Cpu&, std::span<const float> masks, std::span<const double> before, std::span<const float> fiducials,
                std::span<float> evidence);
void p_evidence(Cuda&, std::span<const float> masks, std::span<const double> before, std::span<const float> fiducials,
                std::span<float> evidence);

// Fuses leads. A wave of a beat needs max(1, ceil(L / 3)) of the leads. Onset, peak and offset are medians over the
// leads that have it; from six such leads on, the onset is their 15 % and the offset their 85 % quantile, interpolated
// linearly. Evidence is the greatest over leads.
//   fiducials       [L][K][9] L >= 1; NaN if there is no wave
//   evidence        [L][K]
//   fused           [K][9]
//   fused_evidence  [K]
void fuse_fiducials(Cpu&, std::span<const float> fiducials, std::span<float> fused);
void fuse_fiducials(Cuda&, std::span<const float> fiducials, std::span<float> fused);
void fuse_evidence(Cpu&, std::span<const float> evidence, std::span<float> fused_evidence);
void fuse_evidence(Cuda&, std::span<const float> evidence, std::span<float> fused_evidence);

// Fuses amplitudes. A beat's T peak becomes the median over leads of the place where the T wave is farthest from the
// isoelectric line, because the T mask is flat around its greatest value; where no lead has one, that of the mask
// stays. Its ST level is that of the lead in which it is farthest from 0. Of three leads and more it is the level that
// two leads of one sign reach, the farther of the two signs. NaN if there is none.
//   amplitudes  [L][K][4] L >= 1
//   fused       [K][9] the T peaks are written
//   st_mv       [K]
void fuse_amplitudes(Cpu&, std::span<const float> amplitudes, std::span<float> fused, std::span<float> st_mv);
void fuse_amplitudes(Cuda&, std::span<const float> amplitudes, std::span<float> fused, std::span<float> st_mv);

}  // namespace beatscan::waves
