#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/runtime/launch.cuh"
#include "kernels/signal/bin_ranges.h"

namespace beatscan {
namespace {

constexpr int kQuad = 4;  // samples that a thread reads at a time

// 2^lane_bits threads, at most a warp, work on one bin. Each reads every lanes-th quad, so that a block reads one
// stretch of the signal. Then the threads compare what they found, half with half, until one thread has the result.
__global__ void bin_ranges_kernel(const float* __restrict__ signal, std::int64_t n, std::int64_t width, int lane_bits,
                                  bool aligned, std::int64_t bins, float2* __restrict__ extremes) {
  const int lanes = 1 << lane_bits, lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  const std::int64_t bin = global_thread() >> lane_bits;
  const std::int64_t last = min((bin + 1) * width, n);
  float least = INFINITY, greatest = -INFINITY;
  for (std::int64_t j = bin * width + lane * kQuad; j < last; j += lanes * kQuad) {
    if (aligned && j + kQuad <= last) {
      const float4 quad = *reinterpret_cast<const float4*>(signal + j);
      least = fminf(fminf(fminf(quad.x, quad.y), fminf(quad.z, quad.w)), least);
      greatest = fmaxf(fmaxf(fmaxf(quad.x, quad.y), fmaxf(quad.z, quad.w)), greatest);
    } else {
      for (std::int64_t i = j; i < min(j + kQuad, last); ++i) {
        least = fminf(least, signal[i]);
        greatest = fmaxf(greatest, signal[i]);
      }
    }
  }
  for (int step = lanes / 2; step > 0; step /= 2) {
    least = fminf(least, __shfl_xor_sync(~0u, least, step));
    greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, step));
  }
  if (lane == 0 && bin < bins) extremes[bin] = {least, greatest};
}

bool is_aligned(const void* memory, std::size_t bytes) { return reinterpret_cast<std::uintptr_t>(memory) % bytes == 0; }

}  // namespace

void bin_ranges(Cuda& cuda, std::span<const float> signal, std::int64_t width, std::span<float> extremes) {
  const auto n = static_cast<std::int64_t>(signal.size());
  const std::int64_t bins = checked_bins(n, width, static_cast<std::int64_t>(extremes.size()));
  BEATSCAN_EXPECTS(is_aligned(extremes.data(), sizeof(float2)), "bin_ranges: extremes are not aligned");
  const auto lanes = static_cast<unsigned>(std::clamp<std::int64_t>(width / kQuad, 1, 32));
  const bool aligned = width >= kQuad && is_aligned(signal.data(), sizeof(float4));
  launch(cuda, {blocks_for(bins * lanes)}, bin_ranges_kernel, signal.data(), n, width, std::countr_zero(lanes), aligned,
         bins, reinterpret_cast<float2*>(extremes.data()));
}

}  // namespace beatscan
