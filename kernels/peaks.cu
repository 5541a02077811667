#include "kernels/launch.cuh"
#include "kernels/peaks.h"

namespace beatscan {
namespace {

constexpr int kPositionsPerThread = 4;
constexpr int kTile = kBlock * kPositionsPerThread;

// A block stages the samples of its kTile positions and of the window behind them in shared memory. A thread compares a
// position's centre with the samples around it from near to far: nearly all fail within a few steps. A warp looks at 32
// neighbouring positions, so its ballot is a word of the result.
template <class Real>
__global__ void mark_window_peaks_kernel(const Real* __restrict__ x, std::int64_t n, std::int64_t positions, int window,
                                         std::uint32_t* __restrict__ words) {
  extern __shared__ double shared[];
  Real* tile = reinterpret_cast<Real*>(shared);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTile;
  for (int i = threadIdx.x; i < kTile + window && first + i < n; i += kBlock) tile[i] = x[first + i];
  __syncthreads();
  const int before = window / 2, after = window - 1 - before;
  for (int i = threadIdx.x; i < kTile; i += kBlock) {
    const std::int64_t p = first + i;
    bool peak = p < positions;
    if (peak) {
      const Real* centre = tile + i + before;
      const Real value = *centre;
      for (int distance = 1; distance <= before && peak; ++distance) {
        peak = centre[-distance] <= value;
        if (distance <= after) peak = peak && centre[distance] <= value;
      }
    }
    const std::uint32_t word = __ballot_sync(~0u, peak);
    if (threadIdx.x % 32 == 0 && p < positions) words[p / 32] = word;
  }
}

}  // namespace

template <class Real>
void mark_window_peaks(Cuda& cuda, std::span<const Real> x, int window, std::span<std::uint32_t> words) {
  BEATSCAN_EXPECTS(1 <= window && window <= kMaxPeakWindow, "mark_window_peaks: bad window");
  const auto n = static_cast<std::int64_t>(x.size());
  const std::int64_t positions = window_positions(n, window);
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(words.size()) == words_for(positions),
                   "mark_window_peaks: words do not fit the positions");
  if (positions == 0) return;
  const std::size_t tile_bytes = (kTile + window) * sizeof(Real);
  mark_window_peaks_kernel<<<blocks_for(positions, kTile), kBlock, tile_bytes, cuda.stream()>>>(
      x.data(), n, positions, window, words.data());
  check_launch();
}

template void mark_window_peaks(Cuda&, std::span<const float>, int, std::span<std::uint32_t>);
template void mark_window_peaks(Cuda&, std::span<const double>, int, std::span<std::uint32_t>);

}  // namespace beatscan
