// kernels/detect/fuse_leads.h — one envelope of several leads. Each lead is weighted by the signal-to-noise ratio of
// its own envelope.
//
//   u_l   = envelope of lead l / its level
//   v_l   = w_l heard_l, where heard_l is 1, and less where the lead is silent (silence.h)
//   S     = sum over l of v_l u_l / (0.4 + u_l)  /  sum over l of v_l
//   fused = 0.4 S / (1 - S)
// Between the middles of blocks, levels and weights are interpolated linearly. A beat of typical height in all leads
// has height 1. A wave in one of two equal leads has a height of 0.22 if it is as high as a beat, and of 0.4 at most.
// The wave keeps its own height where the other lead is silent.
//   L leads, B blocks, C candidates, K beats
// A wrong shape throws ErrorKind::internal.
#pragma once

#include "kernels/detect/noise.h"
#include "kernels/detect/silence.h"

namespace beatscan {

// Computes a lead's weight in each block, before it is divided by the sum of all leads' weights there. The weight is
// the square root of the signal-to-noise ratio over_half, limited to 1 .. 30. It is 0 where nothing moves. It is a
// thousandth of that root where the lead hardly moves, in this block or in a neighbour that moves at all, because a
// lead may stop in the middle of a block. The lead hardly moves if its maximum is below 0.1 levels, and partly so up to
// 0.3. If all other leads are noisy, a still neighbour lowers the weight less: the lead may be a clean one whose heart
// pauses.
//   maxima, levels, snr, weights  [B]
//   others_noise                  [B] see least_noise_of_others; empty for no noise
struct LeadBlocksView {
  std::span<const float> maxima, levels;
  std::span<const Snr> snr;
  float factor = 1;  // of all weights; less for a lead that may be no ECG
  std::span<const float> others_noise = {};
};
void lead_weights(Cpu&, const LeadBlocksView& lead, std::span<float> weights);
void lead_weights(Cuda&, const LeadBlocksView& lead, std::span<float> weights);
// others[l][b] = the least noise[j][b] of all leads j but l; 1 if there is no other.
//   noise, others  [L][B]
void least_noise_of_others(Cpu&, std::span<const float> noise, std::int64_t blocks, std::span<float> others);
void least_noise_of_others(Cuda&, std::span<const float> noise, std::int64_t blocks, std::span<float> others);
// Lowers the weights of noisy leads, so that several of them count about as much as one: with many of them, some lead
// nearly always has a peak. The weight of a lead in a block is multiplied by 1 - n + n / max(1, sum of the others'
// noise), where n is its own noise. So the weights of two leads remain unchanged, and so do the ratios of weights among
// leads of equal noise.
//   noise, weights  [L][B]
void count_noise_once(Cpu&, std::span<const float> noise, std::int64_t blocks, std::span<float> weights);
void count_noise_once(Cuda&, std::span<const float> noise, std::int64_t blocks, std::span<float> weights);
// Divides the weights of each item by their sum, unless it is 0.
//   weights  [L][items]: of blocks, or of candidates
void share_weights(Cpu&, std::span<float> weights, std::int64_t items);
void share_weights(Cuda&, std::span<float> weights, std::int64_t items);

// Computes how much a lead counts where it is still: the more noise there is in the other leads, the more. If these are
// clean, a still lead is off. If they are noisy, it may be a clean, isoelectric lead.
//   noise, weights, heard  [L][B]
void still_leads(Cpu&, std::span<const float> noise, std::span<const float> weights, std::int64_t blocks,
                 std::span<float> heard);
void still_leads(Cuda&, std::span<const float> noise, std::span<const float> weights, std::int64_t blocks,
                 std::span<float> heard);

struct WeightedLevels {
  std::span<const float> levels, weights;  // [B]
  int block;                               // samples of a block
  Silence silence = {};
};
// Adds v u / (0.4 + u) of a lead to `sum`, and v to `shares`.
//   envelope, sum  the same part of the recording
//   shares         the same part, or nothing if no lead is ever silent: then the weights add up to 1, or to 0
//   first          the first sample of the part
void add_lead(Cpu&, std::span<const float> envelope, std::int64_t first, const WeightedLevels& lead,
              std::span<float> sum, std::span<float> shares);
void add_lead(Cuda&, std::span<const float> envelope, std::int64_t first, const WeightedLevels& lead,
              std::span<float> sum, std::span<float> shares);
// Makes the fused envelope of the sums, in place.
void finish_fused(Cpu&, std::span<float> sum, std::span<const float> shares);
void finish_fused(Cuda&, std::span<float> sum, std::span<const float> shares);

// The noise of the fused envelope is no more than the leads' own: fused[b] = min(fused[b], sum over l of w_l[b]
// noise_l[b]).
//   noise, weights  [L][B]
//   fused           [B]
void limit_noise(Cpu&, std::span<const float> noise, std::span<const float> weights, std::span<float> fused);
void limit_noise(Cuda&, std::span<const float> noise, std::span<const float> weights, std::span<float> fused);

// Computes v of a lead at each candidate, from the block that the candidate is in.
//   at, weights  [C]
void weights_at(Cpu&, std::span<const std::int64_t> at, const WeightedLevels& lead, std::span<float> weights);
void weights_at(Cuda&, std::span<const std::int64_t> at, const WeightedLevels& lead, std::span<float> weights);

// Adds weight * sharpness / level of a lead at each candidate.
//   at, sharpness, weights, sum  [C]
//   levels                       [B]
struct LeadSharpness {
  std::span<const float> sharpness, weights, levels;
  int block;
};
void add_sharpness(Cpu&, std::span<const std::int64_t> at, const LeadSharpness& lead, std::span<float> sum);
void add_sharpness(Cuda&, std::span<const std::int64_t> at, const LeadSharpness& lead, std::span<float> sum);

inline constexpr float kLeastShareOfMean = 0.5f;  // share of the mean weight that a lead needs to place R peaks

// Chooses the lead in which each beat's R peak is taken: the reference, if its weight there is half the mean weight at
// least, else the lead of the largest weight. So rows are cut alike wherever the reference lead can be read.
// An R peak stays in the recording, and is no nearer to the candidate of a neighbour than to its own.
//   candidates  [K] ascending, in samples
//   weights     [L][K] they add up to 1
//   later       [L] samples by which the R peaks of each lead come later than the reference's; this is subtracted
//   peaks       [L][K]
//   chosen      [K] ascending
struct ChooseInput {
  std::span<const std::int64_t> candidates;
  std::int64_t samples;  // of the recording
  std::span<const float> weights;
  std::span<const double> later;
  std::int64_t reference;
};
void choose_peaks(Cpu&, const ChooseInput& input, std::span<const double> peaks, std::span<double> chosen);
void choose_peaks(Cuda&, const ChooseInput& input, std::span<const double> peaks, std::span<double> chosen);

}  // namespace beatscan
