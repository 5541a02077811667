#include "kernels/signal/peaks.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

template <class Real>
__device__ Real warp_maximum(Real value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value = max(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

// A warp handles 32 neighbouring positions. Their centres lie in one another's windows if a window has 64 samples or
// more. Then only the largest centre can be a peak, and the warp's lanes share the search of its window; of equal
// centres they search one window after the other. Of shorter windows they search all. The warp's peaks are a word of
// the result.
template <class Real>
__global__ void mark_window_peaks_kernel(const Real* __restrict__ x, std::int64_t positions, int window,
                                         std::uint32_t* __restrict__ words) {
  const int lane = threadIdx.x % 32;
  const std::int64_t p = global_thread(), first = p - lane;
  if (first >= positions) return;
  const Real value = p < positions ? x[p + window / 2] : -INFINITY;
  const Real largest = warp_maximum(value);  // all lanes take part, also those beyond the end
  const bool all_in_window = window >= 64;
  const bool candidate = p < positions && (!all_in_window || value == largest);
  std::uint32_t word = 0;
  for (std::uint32_t left = __ballot_sync(~0u, candidate); left; left &= left - 1) {
    const int winner = __ffs(static_cast<int>(left)) - 1;
    const Real height = __shfl_sync(~0u, value, winner);
    const Real* start = x + first + winner;
    bool higher = false;
    for (int i = lane; i < window; i += 32) higher |= start[i] > height;
    if (!__any_sync(~0u, higher)) word |= 1u << winner;
  }
  if (lane == 0) words[p / 32] = word;
}

}  // namespace

template <class Real>
void mark_window_peaks(Cuda& cuda, std::span<const Real> x, int window, std::span<std::uint32_t> words) {
  BEATSCAN_EXPECTS(1 <= window && window <= kMaxPeakWindow, "mark_window_peaks: bad window");
  const std::int64_t positions = window_positions(static_cast<std::int64_t>(x.size()), window);
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(words.size()) == words_for(positions),
                   "mark_window_peaks: words do not fit the positions");
  if (positions == 0) return;
  launch(cuda, {blocks_for(positions)}, mark_window_peaks_kernel<Real>, x.data(), positions, window, words.data());
}

template void mark_window_peaks(Cuda&, std::span<const float>, int, std::span<std::uint32_t>);
template void mark_window_peaks(Cuda&, std::span<const double>, int, std::span<std::uint32_t>);

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
