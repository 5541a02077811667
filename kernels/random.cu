#include <cub/device/device_radix_sort.cuh>

#include "kernels/launch.cuh"
#include "kernels/random.h"
#include "kernels/random_common.h"

namespace beatscan {
namespace {

__global__ void shuffle_keys_kernel(RandomKey key, const std::int32_t* __restrict__ items,
                                    std::uint64_t* __restrict__ keys, std::int64_t n) {
  const std::int64_t i = global_thread();
  if (i < n) keys[i] = shuffle_key(key, items, i);
}

__global__ void low_words_kernel(const std::uint64_t* __restrict__ keys, std::int32_t* __restrict__ words,
                                 std::int64_t n) {
  const std::int64_t i = global_thread();
  if (i < n) words[i] = static_cast<std::int32_t>(keys[i]);
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
  const auto n = static_cast<std::int64_t>(shuffled.size());
  if (n == 0) return;
  Buffer<std::uint64_t, Cuda> keys(cuda, n), sorted(cuda, n);
  shuffle_keys_kernel<<<blocks_for(n), kBlock, 0, cuda.stream()>>>(key, items.empty() ? nullptr : items.data(),
                                                                   keys.data(), n);
  check_launch();
  with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys.data(), sorted.data(), n, 0, 64, cuda.stream());
  });
  low_words_kernel<<<blocks_for(n), kBlock, 0, cuda.stream()>>>(sorted.data(), shuffled.data(), n);
  check_launch();
}

void fill_normal(Cuda& cuda, RandomKey key, std::span<float> values) {
  const auto n = static_cast<std::int64_t>(values.size());
  if (n == 0) return;
  fill_normal_kernel<<<blocks_for((n + 1) / 2), kBlock, 0, cuda.stream()>>>(key, values.data(), n);
  check_launch();
}

}  // namespace beatscan
