#include "kernels/rows/neighbourhood.h"
#include "kernels/rows/neighbourhood_common.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {

void neighbourhood_medians(Cuda& cuda, std::span<const float> latents, int latent_count,
                           std::span<const std::int32_t> usual, int count, std::span<float> around) {
  const auto size = static_cast<std::int64_t>(latents.size());
  check_neighbourhood(size, latent_count, count, static_cast<std::int64_t>(around.size()));
  each(cuda, size,
       NeighbourhoodMedian{latents.data(), latent_count, usual.data(), static_cast<std::int64_t>(usual.size()), count,
                           around.data()});
}

}  // namespace beatscan
