#include "kernels/windows/neighbourhood.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

struct NeighbourhoodMedian {
  const float* latents;
  int latent_count;
  const std::int32_t* usual;
  std::int64_t usual_count;
  int count;
  float* around;

  // Item i is latent z of a row: i = row * latent_count + z.
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t row = i / latent_count, z = i % latent_count, place = first_not_below(usual, usual_count, row);
    const bool is_usual = place < usual_count && usual[place] == row;
    const std::int64_t last_first = usual_count - is_usual - count;  // of the others, so that `count` follow it
    std::int64_t first = place - count / 2;
    if (first > last_first) first = last_first;
    if (first < 0) first = 0;
    float sorted[kMostNeighbours];
    int size = 0;
    for (std::int64_t j = first; size < count && j < usual_count; ++j) {
      if (usual[j] == row) continue;
      const float value = latents[usual[j] * latent_count + z];
      int at = size++;
      for (; at > 0 && sorted[at - 1] > value; --at) sorted[at] = sorted[at - 1];
      sorted[at] = value;
    }
    around[i] = size == 0 ? 0 : 0.5f * (sorted[(size - 1) / 2] + sorted[size / 2]);
  }
};

}  // namespace

void neighbourhood_medians(BackEnd& context, std::span<const float> latents, int latent_count,
                           std::span<const std::int32_t> usual, int count, std::span<float> around) {
  BEATSCAN_EXPECTS(latent_count > 0 && std::ssize(latents) % latent_count == 0 && around.size() == latents.size() &&
                       1 <= count && count <= kMostNeighbours,
                   "neighbourhood_medians: bad shape");
  each(context, std::ssize(latents),
       NeighbourhoodMedian{latents.data(), latent_count, usual.data(), std::ssize(usual), count, around.data()});
}

}  // namespace beatscan
