#include "kernels/runtime/buffer.h"
#include "kernels/runtime/launch.cuh"
#include "kernels/signal/leakage.h"
#include "kernels/signal/leakage_common.h"

namespace beatscan {
namespace {

using Sum = unsigned long long;

__device__ void add(Sum* sum, std::int64_t value) { atomicAdd(sum, static_cast<Sum>(value)); }

// Returns (least, greatest) of a block's values, to all of its threads.
__device__ float2 block_extremes(float least, float greatest, float2* of_warps) {
  for (int step = 16; step > 0; step /= 2) {
    least = fminf(least, __shfl_xor_sync(~0u, least, step));
    greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, step));
  }
  __syncthreads();  // the last call's values have been read
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = {least, greatest};
  __syncthreads();
  float2 all = of_warps[0];
  for (int warp = 1; warp < kBlock / 32; ++warp) {
    all.x = fminf(all.x, of_warps[warp].x);
    all.y = fmaxf(all.y, of_warps[warp].y);
  }
  return all;
}

__device__ float2 extremes_of(const LeakageWindow& window, std::int64_t from, std::int64_t to, float2* of_warps) {
  float least = INFINITY, greatest = -INFINITY;
  for (std::int64_t i = from + threadIdx.x; i < to; i += kBlock) {
    const float value = window.at(i);
    least = fminf(least, value);
    greatest = fmaxf(greatest, value);
  }
  return block_extremes(least, greatest, of_warps);
}

// Smooths one window into shared memory: `smoothed` with the sharp filter, and v, which is `smoothed` minus its own
// smoothing with the blunt filter. Returns this thread's part of the sum of v. All threads of the block take part.
__device__ std::int64_t smooth_window(const LeakageWindow& window, std::int64_t begin, const SampleToBits& to_bits,
                                      const std::int32_t* __restrict__ sharp, const std::int32_t* __restrict__ blunt,
                                      std::int32_t* smoothed, std::int32_t* v) {
  for (int i = threadIdx.x; i < window.smoothed(); i += kBlock) {
    std::int32_t sum = 0;
    const std::int64_t from = begin + static_cast<std::int64_t>(i) * window.step;
    for (int j = 0; j <= 2 * window.sharp; ++j) sum += sharp[j] * to_bits.of(window.at(from + j));
    smoothed[i] = sum >> kSharpShift;
  }
  __syncthreads();
  std::int64_t own = 0;
  for (int i = threadIdx.x; i < window.points; i += kBlock) {
    std::int32_t sum = 0;
    for (int j = 0; j <= 2 * window.blunt; ++j) sum += blunt[j] * smoothed[i + j];
    v[i] = smoothed[i + window.blunt] - (sum >> kBluntShift);
    own += v[i];
  }
  return own;
}

// One block measures one window. The smoothed points and v lie in shared memory; sums are of integers, so that their
// order does not matter.
__global__ void leakage_kernel(LeakageWindow window, const std::int64_t* __restrict__ firsts,
                               const std::int32_t* __restrict__ sharp, const std::int32_t* __restrict__ blunt,
                               Leakage* __restrict__ found) {
  extern __shared__ std::int32_t smoothed[];
  std::int32_t* v = smoothed + window.smoothed();
  __shared__ float2 of_warps[kBlock / 32];
  __shared__ Sum total, size, change, apart, together;
  if (threadIdx.x == 0) total = size = change = apart = together = 0;
  const std::int64_t first = firsts[blockIdx.x], begin = window.begin(first);
  const float2 all = extremes_of(window, begin, begin + window.reads(), of_warps);
  const std::int64_t own = smooth_window(window, begin, SampleToBits(all.x, all.y), sharp, blunt, smoothed, v);
  add(&total, own);
  __syncthreads();
  const auto mean = static_cast<std::int32_t>(static_cast<std::int64_t>(total) / window.points);
  std::int64_t own_size = 0, own_change = 0;
  for (int i = threadIdx.x; i < window.points; i += kBlock) {
    own_size += magnitude(v[i] - mean);
    if (i > 0) own_change += magnitude(v[i] - v[i - 1]);
  }
  add(&size, own_size);
  add(&change, own_change);
  __syncthreads();
  const int lag = lag_of(static_cast<std::int64_t>(size), static_cast<std::int64_t>(change), window.points);
  std::int64_t own_apart = 0, own_together = 0;
  for (int i = lag + threadIdx.x; i < window.points; i += kBlock) {
    own_apart += magnitude(v[i] - mean + v[i - lag] - mean);
    own_together += magnitude(v[i] - mean) + magnitude(v[i - lag] - mean);
  }
  add(&apart, own_apart);
  add(&together, own_together);
  const std::int64_t length = static_cast<std::int64_t>(window.points) * window.step;
  const float2 middle = extremes_of(window, first + length / 4, first + length - length / 4, of_warps);
  if (threadIdx.x == 0)
    found[blockIdx.x] = {lag, middle.y - middle.x, static_cast<std::int64_t>(apart),
                         static_cast<std::int64_t>(together)};
}

}  // namespace

void leakage(Cuda& cuda, std::span<const float> signal, std::span<const std::int64_t> firsts, int points,
             const LeakageFilters& filters, std::span<Leakage> found) {
  const LeakageWindow window = checked_leakage(signal, firsts, points, filters, found);
  if (found.empty()) return;
  const auto sharp = from_host(cuda, filters.sharp_taps), blunt = from_host(cuda, filters.blunt_taps);
  const std::size_t shared = (window.smoothed() + window.points) * sizeof(std::int32_t);
  launch(cuda, {static_cast<unsigned>(found.size()), kBlock, shared}, leakage_kernel, window, firsts.data(),
         sharp.data(), blunt.data(), found.data());
}

}  // namespace beatscan
