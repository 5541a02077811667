// kernels/waves/p_shapes.h — the similarity of each beat's P wave with the dominant P wave, whatever its amplitude.
//
//   shape       32 values of the window from P onset to P offset, evenly spread, ends included, interpolated linearly,
//               minus their mean
//   unit shape  the shapes of all leads side by side, divided by their length (the root of the sum of squares)
//   similarity  the scalar product of a unit shape with the dominant one, -1 .. 1: a correlation over leads and time
// The dominant shape is the mean of unit shapes, scaled to length 1; group_sums (kernels/templates) adds them up in the
// groups that unit_shapes returns.
#pragma once

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
// (kernels/templates/shape_sums.h), the others the group 0.
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

}  // namespace beatscan::waves
