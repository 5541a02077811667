// kernels/waves/baseline.h — the baseline of a lead: a zero-phase first-order low-pass of 0.35 Hz on block means.
//
//   blocks      m = floor(0.04 rate + 0.5) samples, at least 1; the last may be shorter; n_j samples present in block
//               j, and u_j their mean
//   levels[i] = sum_j w_j u_j / sum_j w_j over |i - j| <= 46, w_j = n_j exp(-2 pi 0.35 |i - j| m / rate); 0 without a
//               sample
// Between the centres of blocks the baseline is a straight line; before the first and after the last it is level.
#pragma once

#include "kernels/waves/window.h"

namespace beatscan::waves {

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

}  // namespace beatscan::waves
