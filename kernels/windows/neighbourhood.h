// kernels/windows/neighbourhood.h — the typical latents around each row: medians over its neighbours in time.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostNeighbours = 64;

// around[b][z] = median over latents[i][z] of the `count` dominant rows i that are nearest in order to row b
// Half of the rows are on either side of row b; at an end of the list more are on the other side. Row b itself is left
// out. If there is no other dominant row, the median is 0. A wrong shape or count throws ErrorKind::internal.
//   latents  [B][Z] of rows in time order, Z = latent_count
//   usual    [U] ascending indices of the dominant rows
//   count    1 .. kMostNeighbours
//   around   [B][Z]
void neighbourhood_medians(Cpu&, std::span<const float> latents, int latent_count, std::span<const std::int32_t> usual,
                           int count, std::span<float> around);
void neighbourhood_medians(Cuda&, std::span<const float> latents, int latent_count, std::span<const std::int32_t> usual,
                           int count, std::span<float> around);

}  // namespace beatscan
