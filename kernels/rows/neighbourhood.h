// kernels/rows/neighbourhood.h — what is usual around a row, in the model's latent space.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostNeighbours = 64;

// around[b][z] = median over latents[i][z] of the `count` usual rows i that are nearest in order to row b, as many on
// either side as there are; the row itself is left out. 0 where there is no other usual row.
//   latents  [B][Z] rows in time order, Z = latent_count
//   usual    [U] ascending indices of rows
//   around   [B][Z]
// 1 <= count <= kMostNeighbours
void neighbourhood_medians(Cpu&, std::span<const float> latents, int latent_count, std::span<const std::int32_t> usual,
                           int count, std::span<float> around);
void neighbourhood_medians(Cuda&, std::span<const float> latents, int latent_count, std::span<const std::int32_t> usual,
                           int count, std::span<float> around);

}  // namespace beatscan
