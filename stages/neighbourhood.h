// stages/neighbourhood.h — what is usual around a beat, in the model's latent space.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/context.h"

namespace beatscan {

// [B][Z] for each row the median, latent by latent, over the latents of the `count` usual rows nearest to it in time,
// as many on either side as there are; the row itself is left out. Zeros where there is no other usual row.
//   latents  [B][Z] rows in time order
//   usual    ascending indices of rows
std::vector<float> neighbourhood_latents(const Cpu& cpu, std::span<const float> latents, int latent_count,
                                         std::span<const std::int32_t> usual, int count);

}  // namespace beatscan
