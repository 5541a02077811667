#include "kernels/detect/detect.h"

#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

// One thread handles one sample. The few samples of a block that are larger than their neighbours are listed. Then a
// warp examines the whole radius around one of them at a time.
__global__ void mark_candidates_kernel(const float* __restrict__ x, std::int64_t n, int radius, int edge,
                                       std::uint32_t* __restrict__ words) {
  __shared__ std::uint32_t set[kBlock / 32];
  __shared__ int peaks[kBlock], count;
  if (threadIdx.x < kBlock / 32) set[threadIdx.x] = 0;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kBlock, i = first + threadIdx.x;
  if (i < n && detection::is_candidate(x, n, i, min(radius, 1), edge))
    peaks[atomicAdd(&count, 1)] = static_cast<int>(threadIdx.x);
  __syncthreads();
  for (int p = static_cast<int>(threadIdx.x) / 32; p < count; p += kBlock / 32) {
    const std::int64_t at = first + peaks[p];
    bool beaten = false;
    for (int d = 1 + static_cast<int>(threadIdx.x) % 32; d <= radius; d += 32)
      beaten |= (at - d >= 0 && x[at - d] >= x[at]) || (at + d < n && x[at + d] > x[at]);
    if (!__any_sync(~0u, beaten) && threadIdx.x % 32 == 0) atomicOr(&set[peaks[p] / 32], 1u << (peaks[p] % 32));
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0 && i < n) words[i / 32] = set[threadIdx.x / 32];
}

// One warp handles one block of the level.
__global__ void block_maxima_kernel(const float* __restrict__ x, std::int64_t n, int block, std::int64_t blocks,
                                    float* __restrict__ maxima) {
  const std::int64_t i = global_thread() / 32;
  if (i >= blocks) return;
  const detection::BlockRange range(i, blocks, block, n);
  float maximum = x[range.first];
  for (std::int64_t j = range.first + threadIdx.x % 32; j < range.last; j += 32) maximum = max(maximum, x[j]);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) maximum = max(maximum, __shfl_xor_sync(~0u, maximum, step));
  if (threadIdx.x % 32 == 0) maxima[i] = maximum;
}

}  // namespace

void mark_candidates(Cuda& cuda, std::span<const float> x, int radius, int edge, std::span<std::uint32_t> words) {
  const auto n = static_cast<std::int64_t>(x.size());
  check_candidates(n, static_cast<std::int64_t>(words.size()), radius, edge);
  if (n == 0) return;
  launch(cuda, {blocks_for(n)}, mark_candidates_kernel, x.data(), n, radius, edge, words.data());
}

void block_maxima(Cuda& cuda, std::span<const float> x, int block, std::span<float> maxima) {
  const auto n = static_cast<std::int64_t>(x.size()), blocks = static_cast<std::int64_t>(maxima.size());
  check_maxima(n, block, blocks);
  launch(cuda, {blocks_for(blocks, kBlock / 32)}, block_maxima_kernel, x.data(), n, block, blocks, maxima.data());
}

}  // namespace beatscan
