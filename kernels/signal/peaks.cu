#include "kernels/runtime/launch.cuh"
#include "kernels/signal/peaks.h"

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

}  // namespace beatscan
