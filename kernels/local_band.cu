#include <algorithm>

#include "kernels/launch.cuh"
#include "kernels/local_band.h"
#include "kernels/local_band_common.h"

namespace beatscan {
namespace {

struct Band {
  const float* signal;
  std::int64_t n;
  const double* taps;
  int width;

  // band(first + lane + 32 p) for p = 0 .. kPlaces - 1: a lane reads each tap once for all its places. Sums are not
  // fused, as on the host.
  template <int kPlaces>
  __device__ void at_lane(std::int64_t first, double (&values)[kPlaces]) const {
    const std::int64_t place = first + threadIdx.x % 32 + width / 2;
#pragma unroll
    for (double& value : values) value = 0;
    if (first - width / 2 >= 0 && first + 32 * kPlaces + width / 2 <= n) {
      const float* x = signal + place;
      for (int j = 0; j < width; ++j)
        add(
            __ldg(taps + j), [&](int p) { return __ldg(x - j + 32 * p); }, values);
    } else {
      for (int j = 0; j < width; ++j)
        add(
            __ldg(taps + j),
            [&](int p) { return __ldg(signal + max(std::int64_t{0}, min(place - j + 32 * p, n - 1))); }, values);
    }
#pragma unroll
    for (double& value : values) value = fabs(value);
  }

 private:
  template <int kPlaces, class Sample>
  __device__ static void add(double tap, Sample&& sample, double (&values)[kPlaces]) {
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) values[p] = __dadd_rn(values[p], __dmul_rn(tap, static_cast<double>(sample(p))));
  }
};

// One warp a candidate.
__global__ void smoothed_band_kernel(Band band, const double* __restrict__ weights, int count,
                                     const std::int64_t* __restrict__ at, std::int64_t candidates,
                                     float* __restrict__ heights) {
  const std::int64_t c = global_thread() / 32;
  if (c >= candidates) return;
  const int lane = threadIdx.x % 32;
  const std::int64_t start = at[c] - count / 2;
  constexpr int kPlaces = 4;
  double sum = 0, values[kPlaces];
  for (int first = 0; first < count; first += 32 * kPlaces) {
    band.at_lane(start + first, values);
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
      const int i = first + lane + 32 * p;
      if (i < count && start + i >= 0 && start + i < band.n) sum += weights[i] * values[p];
    }
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) heights[c] = static_cast<float>(sum);
}

// One warp a beat; its weighted values in shared memory.
__global__ void place_r_peaks_kernel(Band band, const double* __restrict__ weights, int reach,
                                     const std::int64_t* __restrict__ candidates, const std::int64_t* __restrict__ kept,
                                     std::int64_t count, double* __restrict__ peaks) {
  extern __shared__ double weighted_values[];
  const int lane = threadIdx.x % 32, size = 2 * reach + 1;
  double* const weighted = weighted_values + threadIdx.x / 32 * size;
  const std::int64_t k = global_thread() / 32;
  if (k >= count) return;
  const std::int64_t centre = candidates[kept[k]];
  constexpr int kPlaces = 2;
  double largest = -1, values[kPlaces];
  int best = size;
  for (int first = 0; first < size; first += 32 * kPlaces) {
    band.at_lane(centre - reach + first, values);
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
      const int i = first + lane + 32 * p;
      if (i >= size) continue;
      weighted[i] = values[p] * weights[i];
      if (weighted[i] > largest) {
        largest = weighted[i];
        best = i;
      }
    }
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(~0u, largest, step);
    const int other_best = __shfl_xor_sync(~0u, best, step);
    if (other > largest || (other == largest && other_best < best)) {
      largest = other;
      best = other_best;
    }
  }
  __syncwarp();
  if (lane == 0) peaks[k] = peak_between(weighted, reach, best, centre, band.n);
}

Buffer<double, Cuda> on_device(Cuda& cuda, std::span<const double> values) {
  Buffer<double, Cuda> buffer(cuda, static_cast<std::int64_t>(values.size()));
  copy_bytes(cuda, values.data(), buffer.data(), values.size_bytes());
  return buffer;
}

}  // namespace

void smoothed_band(Cuda& cuda, std::span<const float> signal, std::span<const double> taps,
                   std::span<const double> weights, std::span<const std::int64_t> at, std::span<float> heights) {
  const auto n = static_cast<std::int64_t>(signal.size()), count = static_cast<std::int64_t>(at.size());
  check_smoothed_band(n, static_cast<std::int64_t>(taps.size()), static_cast<std::int64_t>(weights.size()), count,
                      static_cast<std::int64_t>(heights.size()));
  if (count == 0) return;
  const auto device_taps = on_device(cuda, taps), device_weights = on_device(cuda, weights);
  const Band band{signal.data(), n, device_taps.data(), static_cast<int>(taps.size())};
  smoothed_band_kernel<<<blocks_for(count, kBlock / 32), kBlock, 0, cuda.stream()>>>(
      band, device_weights.data(), static_cast<int>(weights.size()), at.data(), count, heights.data());
  check_launch();
}

void place_r_peaks(Cuda& cuda, std::span<const float> signal, std::span<const double> taps,
                   std::span<const std::int64_t> candidates, std::span<const std::int64_t> kept,
                   const RPeakOptions& options, std::span<double> peaks) {
  const auto n = static_cast<std::int64_t>(signal.size()), count = static_cast<std::int64_t>(kept.size());
  const auto weights = checked_peak_weights(n, static_cast<std::int64_t>(taps.size()), count,
                                            static_cast<std::int64_t>(peaks.size()), options);
  if (count == 0) return;
  const auto device_taps = on_device(cuda, taps), device_weights = on_device(cuda, weights);
  const Band band{signal.data(), n, device_taps.data(), static_cast<int>(taps.size())};
  constexpr std::size_t kFits = 48 << 10;  // bytes of shared memory that every device has
  const std::size_t warp_bytes = weights.size() * sizeof(double);
  const auto warps = static_cast<int>(std::clamp<std::size_t>(kFits / warp_bytes, 1, kBlock / 32));
  BEATSCAN_EXPECTS(warp_bytes <= kFits, "place_r_peaks: reach too long");
  place_r_peaks_kernel<<<blocks_for(count, warps), 32 * warps, warps * warp_bytes, cuda.stream()>>>(
      band, device_weights.data(), options.reach, candidates.data(), kept.data(), count, peaks.data());
  check_launch();
}

}  // namespace beatscan
