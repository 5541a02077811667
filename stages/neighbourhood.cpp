#include "stages/neighbourhood.h"

#include <algorithm>

#include "kernels/check.h"
#include "kernels/parallel.h"

namespace beatscan {
namespace {

float median_of(std::vector<float>& values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 ? *middle : 0.5f * (*middle + *std::max_element(values.begin(), middle));
}

}  // namespace

std::vector<float> neighbourhood_latents(const Cpu& cpu, std::span<const float> latents, int latent_count,
                                         std::span<const std::int32_t> usual, int count) {
  BEATSCAN_EXPECTS(latent_count > 0 && std::ssize(latents) % latent_count == 0 && count > 0,
                   "neighbourhood_latents: bad shape");
  std::vector<float> around(latents.size());
  parallel_for(cpu, std::ssize(latents) / latent_count, 2048, [&](std::int64_t first_row, std::int64_t last_row) {
    std::vector<float> values;
    for (std::int64_t row = first_row; row < last_row; ++row) {
      // Of the usual rows without the row itself, `count` with its place in their middle.
      const std::int64_t place = std::ranges::lower_bound(usual, row) - usual.begin();
      const bool is_usual = place < std::ssize(usual) && usual[place] == row;
      const std::int64_t last_first = std::max<std::int64_t>(std::ssize(usual) - is_usual - count, 0);
      const std::int64_t first = std::clamp<std::int64_t>(place - count / 2, 0, last_first);
      for (int z = 0; z < latent_count; ++z) {
        values.clear();
        for (std::int64_t i = first; i < std::ssize(usual) && std::ssize(values) < count; ++i)
          if (usual[i] != row) values.push_back(latents[usual[i] * latent_count + z]);
        if (!values.empty()) around[row * latent_count + z] = median_of(values);
      }
    }
  });
  return around;
}

}  // namespace beatscan
