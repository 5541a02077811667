// kernels/waves/non_conducted.h — the similarity of each beat's P wave with the dominant P wave, whatever its
// amplitude.
//
//   shape       32 values of the window from P onset to P offset, evenly spread, ends included, interpolated linearly,
//               minus their mean
//   unit shape  the shapes of all leads side by side, divided by their length (the root of the sum of squares)
//   similarity  the scalar product of a unit shape with the dominant one, -1 .. 1: a correlation over leads and time
// The dominant shape is the mean of unit shapes, scaled to length 1; group_sums (kernels/templates) adds them up in the
// groups that unit_shapes returns.
#pragma once

#include "kernels/runtime/buffer.h"
#include "kernels/waves/window.h"

namespace beatscan::waves {

inline constexpr int kShapeValues = 32;

// Takes the shapes of one lead. A beat without a P wave, or whose P wave is not all within its window, has NaN.
//   windows  [B][320] single beats
//   fused    [B][9] fiducials over leads, see beat_waves.h
//   lead     0 .. L - 1
//   shapes   [B][L][32] the lead's values are written
void p_shapes(Cpu&, std::span<const float> windows, std::span<const float> fused, std::int64_t lead,
              std::span<float> shapes);
void p_shapes(Cuda&, std::span<const float> windows, std::span<const float> fused, std::int64_t lead,
              std::span<float> shapes);

// Makes unit shapes in place. Beats without a shape, or with a flat one, get zeros and the group kNoGroup
// (kernels/templates/shape_distances.h), the others the group 0.
//   shapes  [B][D] D = 32 L
//   groups  [B]
void unit_shapes(Cpu&, std::span<float> shapes, std::span<std::uint8_t> groups);
void unit_shapes(Cuda&, std::span<float> shapes, std::span<std::uint8_t> groups);

// similarity[b] = sum_d shapes[b][d] sums[d] / length of sums; NaN if a beat has no shape, or where `sums` is 0
//   shapes      [B][D] unit shapes
//   groups      [B]
//   sums        [D] as from group_sums with one group
//   similarity  [B]
void p_similarity(Cpu&, std::span<const float> shapes, std::span<const std::uint8_t> groups,
                  std::span<const std::int64_t> sums, std::span<float> similarity);
void p_similarity(Cuda&, std::span<const float> shapes, std::span<const std::uint8_t> groups,
                  std::span<const std::int64_t> sums, std::span<float> similarity);

// P waves without a QRS complex, in RR intervals, from the masks of single beats.
//
// Interval b lies between the beats b and b + 1 and is rr = after[b] values long. Value j lies j values after beat b.
//   1. For j < 195 it is value 125 + j of the beat's window. From floor(125 - rr + 0.5) + j >= 0 on it is that value of
//      the window of beat b + 1. With both, it is their mean.
//   2. If rr > 320, extra windows cover the gap: the first begins 70 values after R, the next ones 160 values later,
//      until one reaches (its start + 280 >= rr - 125), at most 12. They count without 40 values at either end, and
//      only where no beat's window reaches; where several do, it is their mean. Where none reaches, the value is 0.
//   3. Masks are means over leads. A run of the P mask at 0.35 or above in [30, floor(rr) - 95), gap 2, least 5 (see
//      beat_waves.h), is a P wave if the QRS mask stays below 0.5 in it and the T mask's mean is below 0.5. Its onset
//      and offset are crossings of 0.35.

inline constexpr int kMostExtraWindows = 12;  // of an RR interval

// Returns the extra windows of intervals in ascending order: b * kMostExtraWindows + w for window w of interval b.
// Waits for their number.
//   after  [I] see rr_intervals
Buffer<std::int64_t, Cpu> extra_windows(Cpu&, std::span<const double> after);
Buffer<std::int64_t, Cuda> extra_windows(Cuda&, std::span<const double> after);

// Computes where to cut the extra windows and the marks in them.
//   extra          [E] see extra_windows
//   r              [B] samples
//   before, after  [B]
//   places         [E] the sample at which value 125 lies, for cut_windows
//   marks          [E]
void place_extra_windows(Cpu&, std::span<const std::int64_t> extra, std::span<const double> r, double rate_hz,
                         std::span<const double> before, std::span<const double> after, std::span<double> places,
                         std::span<Marks> marks);
void place_extra_windows(Cuda&, std::span<const std::int64_t> extra, std::span<const double> r, double rate_hz,
                         std::span<const double> before, std::span<const double> after, std::span<double> places,
                         std::span<Marks> marks);

// Gives each extra window the height of the beat before it.
//   heights        [B]
//   extra_heights  [E]
void extra_heights(Cpu&, std::span<const std::int64_t> extra, std::span<const float> heights,
                   std::span<float> extra_heights);
void extra_heights(Cuda&, std::span<const std::int64_t> extra, std::span<const float> heights,
                   std::span<float> extra_heights);

// mean[i] = share masks[i], and from the second lead on mean[i] += share masks[i]: with share = 1 / L this is the mean
// over leads.
void add_masks(Cpu&, std::span<const float> masks, float share, bool first_lead, std::span<float> mean);
void add_masks(Cuda&, std::span<const float> masks, float share, bool first_lead, std::span<float> mean);

// A P wave after a beat, in values from the beat's R.
struct NonConductedWave {
  std::int64_t beat;
  float onset, offset;
};

// Returns the non-conducted P waves between neighbouring beats, in ascending order. Waits for their number.
//   after        [B] see rr_intervals
//   masks        [B][3][320] of single beats, mean over leads; B >= 1
//   extra        [E] extra windows of these intervals
//   extra_masks  [E][3][320] mean over leads
Buffer<NonConductedWave, Cpu> non_conducted_waves(Cpu&, std::span<const double> after, std::span<const float> masks,
                                                  std::span<const std::int64_t> extra,
                                                  std::span<const float> extra_masks);
Buffer<NonConductedWave, Cuda> non_conducted_waves(Cuda&, std::span<const double> after, std::span<const float> masks,
                                                   std::span<const std::int64_t> extra,
                                                   std::span<const float> extra_masks);

}  // namespace beatscan::waves
