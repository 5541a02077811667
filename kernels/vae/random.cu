#include "kernels/runtime/launch.cuh"
#include "kernels/vae/random.h"
#include "kernels/vae/random_common.h"

namespace beatscan {
namespace {

__global__ void shuffle_kernel(Permutation permutation, const std::int32_t* __restrict__ items,
                               std::int32_t* __restrict__ shuffled, std::int64_t n) {
  const std::int64_t i = global_thread();
  if (i >= n) return;
  const std::uint32_t source = permutation(static_cast<std::uint32_t>(i));
  shuffled[i] = items ? items[source] : static_cast<std::int32_t>(source);
}

__global__ void fill_normal_kernel(RandomKey key, float* __restrict__ values, std::int64_t n) {
  const std::int64_t i = global_thread();
  if (2 * i >= n) return;
  const NormalPair pair = normal_pair(key, i);
  values[2 * i] = pair.first;
  if (2 * i + 1 < n) values[2 * i + 1] = pair.second;
}

}  // namespace

void shuffle(Cuda& cuda, RandomKey key, std::span<const std::int32_t> items, std::span<std::int32_t> shuffled) {
  BEATSCAN_EXPECTS(items.empty() || items.size() == shuffled.size(), "shuffle: bad shape");
  BEATSCAN_EXPECTS(shuffled.size() < (std::size_t{1} << 31), "shuffle: too many items");
  const auto n = static_cast<std::int64_t>(shuffled.size());
  if (n == 0) return;
  shuffle_kernel<<<blocks_for(n), kBlock, 0, cuda.stream()>>>(
      Permutation(key, n), items.empty() ? nullptr : items.data(), shuffled.data(), n);
  check_launch();
}

void fill_normal(Cuda& cuda, RandomKey key, std::span<float> values) {
  const auto n = static_cast<std::int64_t>(values.size());
  if (n == 0) return;
  fill_normal_kernel<<<blocks_for((n + 1) / 2), kBlock, 0, cuda.stream()>>>(key, values.data(), n);
  check_launch();
}

}  // namespace beatscan
