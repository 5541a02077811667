// kernels/beats/fuse_leads.h — one envelope of several leads, each weighted by how clearly beats stand out of it there.
//
//   u_l   = envelope of lead l / its level
//   S     = sum over l of w_l u_l / (0.4 + u_l)
//   fused = 0.4 S / (1 - S)
// Between the middles of blocks, levels and weights are on straight lines.
// A beat of the usual height in all leads has height 1. A wave in one of two equal leads has a height of 0.22 if it is
// as high as a beat, and of 0.4 at most.
//   L leads, B blocks, C candidates, K beats
// A wrong shape is ErrorKind::internal.
#pragma once

#include "kernels/beats/clarity.h"

namespace beatscan {

// A lead's weight in a block before it is divided by the sum of all leads' weights there: the square root of
// its clarity over_half, which counts from 1 to 30. It is a thousandth of that where the lead is silent (its maximum is
// below 0.1 levels, and partly so up to 0.3) or in a gap of more than `bridged` samples, in this block or a neighbour:
// a lead may stop in the middle of a block. It is 0 where nothing moves.
//   maxima, levels, clarity, weights  [B]
//   n     samples of the recording
struct LeadBlocksView {
  std::span<const float> maxima, levels;
  std::span<const Clarity> clarity;
  double bridged = 0;  // samples of the longest gap that does not matter
};
void lead_weights(Cpu&, const LeadBlocksView& lead, const Gaps& gaps, std::int64_t n, int block,
                  std::span<float> weights);
void lead_weights(Cuda&, const LeadBlocksView& lead, const Gaps& gaps, std::int64_t n, int block,
                  std::span<float> weights);
// Divides the weights of each block by their sum, unless it is 0.
//   weights  [L][B]
void share_weights(Cpu&, std::span<float> weights, std::int64_t blocks);
void share_weights(Cuda&, std::span<float> weights, std::int64_t blocks);

struct WeightedLevels {
  std::span<const float> levels, weights;  // [B]
  int block;                               // samples of a block
};
// Adds a lead to S.
//   envelope, sum  the same part of the lead's envelope and of S
//   first          its first sample in the recording
void add_lead(Cpu&, std::span<const float> envelope, std::int64_t first, const WeightedLevels& lead,
              std::span<float> sum);
void add_lead(Cuda&, std::span<const float> envelope, std::int64_t first, const WeightedLevels& lead,
              std::span<float> sum);
// Makes the fused envelope of S, in place.
void finish_fused(Cpu&, std::span<float> sum);
void finish_fused(Cuda&, std::span<float> sum);

// The noise of the fused envelope is no more than the leads' own: fused[b] = min(fused[b], sum over l of w_l[b]
// noise_l[b]).
//   noise, weights  [L][B]
//   fused           [B]
void limit_noise(Cpu&, std::span<const float> noise, std::span<const float> weights, std::span<float> fused);
void limit_noise(Cuda&, std::span<const float> noise, std::span<const float> weights, std::span<float> fused);

// Adds w_l sharpness_l / level_l in the block of each candidate.
//   at, sharpness, sum  [C]
void add_sharpness(Cpu&, std::span<const std::int64_t> at, std::span<const float> sharpness, const WeightedLevels& lead,
                   std::span<float> sum);
void add_sharpness(Cuda&, std::span<const std::int64_t> at, std::span<const float> sharpness,
                   const WeightedLevels& lead, std::span<float> sum);

// Chooses the lead in which each beat's R peak is taken: the reference, if its weight in the beat's block is half
// the mean weight at least, else the lead of the largest weight. So rows are cut alike wherever the reference lead can
// be read.
//   centres  [K] samples
//   weights  [L][B]
//   peaks    [L][K]
//   chosen   [K]
struct ChooseInput {
  std::span<const std::int64_t> centres;
  std::span<const float> weights;
  std::int64_t blocks;
  int block;
  std::int64_t reference;
};
void choose_peaks(Cpu&, const ChooseInput& input, std::span<const double> peaks, std::span<double> chosen);
void choose_peaks(Cuda&, const ChooseInput& input, std::span<const double> peaks, std::span<double> chosen);

}  // namespace beatscan
