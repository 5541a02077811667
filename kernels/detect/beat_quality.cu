#include "kernels/detect/beat_quality.h"
#include "kernels/detect/beat_quality_common.h"
#include "kernels/detect/detect.h"
#include "kernels/detect/detect_common.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {
namespace {

template <class Combine>
__device__ auto over_warp(auto value, Combine combine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

// One warp works on one block. It reads the few hundred samples twice, the second time from the nearest cache.
__global__ void block_facts_kernel(const float* __restrict__ signal, std::int64_t n, const float* __restrict__ levels,
                                   int block, std::int64_t blocks, BlockFacts* __restrict__ facts) {
  const std::int64_t i = global_thread() / 32;
  if (i >= blocks) return;
  const int lane = threadIdx.x % 32;
  const detection::BlockRange range(i, blocks, block, n);
  float min_value = signal[range.first], max_value = min_value;
  for (std::int64_t j = range.first + lane; j < range.last; j += 32) {
    min_value = min(min_value, signal[j]);
    max_value = max(max_value, signal[j]);
  }
  min_value = over_warp(min_value, [](float a, float b) { return min(a, b); });
  max_value = over_warp(max_value, [](float a, float b) { return max(a, b); });
  const detection::BlockLimits limits(min_value, max_value);
  int at_min = 0, at_max = 0, near_min = 0, near_max = 0;
  for (std::int64_t j = range.first + lane; j < range.last; j += 32) {
    const bool stays = j + 1 < range.last && signal[j + 1] == signal[j];
    at_min += stays && signal[j] == min_value;
    at_max += stays && signal[j] == max_value;
    near_min += signal[j] < limits.near_min;
    near_max += signal[j] > limits.near_max;
  }
  const auto sum = [](int a, int b) { return a + b; };
  at_min = over_warp(at_min, sum);
  at_max = over_warp(at_max, sum);
  near_min = over_warp(near_min, sum);
  near_max = over_warp(near_max, sum);
  if (lane == 0)
    facts[i] = {min_value, max_value, at_min, at_max, near_min, near_max, static_cast<int>(range.last - range.first),
                levels[i]};
}

}  // namespace

void block_facts(Cuda& cuda, std::span<const float> signal, std::span<const float> levels, int block,
                 std::span<BlockFacts> facts) {
  const auto n = static_cast<std::int64_t>(signal.size()), blocks = static_cast<std::int64_t>(facts.size());
  BEATSCAN_EXPECTS(n > 0 && levels.size() == facts.size() && block > 0 && blocks == level_blocks(n, block),
                   "block_facts: bad shape");
  launch(cuda, {blocks_for(blocks, kBlock / 32)}, block_facts_kernel, signal.data(), n, levels.data(), block, blocks,
         facts.data());
}

}  // namespace beatscan
