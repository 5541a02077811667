#include "kernels/rows/neighbourhood.h"

#include "kernels/rows/neighbourhood_common.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

void check_neighbourhood(std::int64_t latents, int latent_count, int count, std::int64_t around) {
  BEATSCAN_EXPECTS(
      latent_count > 0 && latents % latent_count == 0 && around == latents && 1 <= count && count <= kMostNeighbours,
      "neighbourhood_medians: bad shape");
}

void neighbourhood_medians(Cpu& cpu, std::span<const float> latents, int latent_count,
                           std::span<const std::int32_t> usual, int count, std::span<float> around) {
  check_neighbourhood(std::ssize(latents), latent_count, count, std::ssize(around));
  each(cpu, std::ssize(latents),
       NeighbourhoodMedian{latents.data(), latent_count, usual.data(), std::ssize(usual), count, around.data()});
}

}  // namespace beatscan
