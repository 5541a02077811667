#include "kernels/detect/local_band.h"

#include <algorithm>

#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

struct Band {
  const float* signal;
  std::int64_t n;
  const double* taps;
  int width;

  // Computes band(first + lane + 32 p) for p = 0 .. kPlaces - 1. A lane reads each tap once for all its places. As on
  // the host, each product is rounded before it is added.
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

// Returns the sum over a warp. It has the same bits on every lane, since a + b is b + a.
__device__ double sum_over_warp(double value) {
#pragma unroll
  for (int half = 16; half > 0; half /= 2) value = __dadd_rn(value, __shfl_xor_sync(~0u, value, half));
  return value;
}

// Writes band(centre - reach) .. band(centre + reach) to the warp's shared memory.
__device__ void fill_window(const Band& band, std::int64_t centre, int reach, double* window) {
  constexpr int kPlaces = 4;
  double values[kPlaces];
  for (int first = 0; first <= 2 * reach; first += 32 * kPlaces) {
    band.at_lane(centre - reach + first, values);
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
      const int i = first + static_cast<int>(threadIdx.x) % 32 + 32 * p;
      if (i <= 2 * reach) window[i] = values[p];
    }
  }
  __syncwarp();
}

// Returns the sum of weights[i] * window[i], i < count, over those i whose sample centre - count / 2 + i is within the
// recording.
__device__ double weighted_sum(const double* __restrict__ weights, int count, const double* window, std::int64_t centre,
                               std::int64_t n) {
  double sum = 0;
  for (int i = threadIdx.x % 32; i < count; i += 32) {
    const std::int64_t sample = centre - count / 2 + i;
    if (sample >= 0 && sample < n) sum = __dadd_rn(sum, __dmul_rn(weights[i], window[i]));
  }
  return sum_over_warp(sum);
}

// The windows of a block's warps, one after the other.
extern __shared__ double windows[];

// One warp works on one candidate.
__global__ void smoothed_band_kernel(Band band, const double* __restrict__ weights, int count,
                                     const std::int64_t* __restrict__ at, std::int64_t candidates,
                                     float* __restrict__ heights) {
  const std::int64_t c = global_thread() / 32;
  if (c >= candidates) return;
  double* const window = windows + threadIdx.x / 32 * count;
  fill_window(band, at[c], count / 2, window);
  const double height = weighted_sum(weights, count, window, at[c], band.n);
  if (threadIdx.x % 32 == 0) heights[c] = static_cast<float>(height);
}

// One warp works on one beat.
__global__ void refine_candidates_kernel(Band band, const double* __restrict__ weights, int count,
                                         const std::int64_t* __restrict__ candidates,
                                         const std::int64_t* __restrict__ kept, std::int64_t beats,
                                         std::int64_t* __restrict__ centres) {
  const std::int64_t k = global_thread() / 32;
  if (k >= beats) return;
  double* const window = windows + threadIdx.x / 32 * (count + 2 * kRefineReach);
  const std::int64_t candidate = candidates[kept[k]];
  fill_window(band, candidate, count / 2 + kRefineReach, window);
  double largest = -1;
  std::int64_t found = candidate;
  for (int shift = -kRefineReach; shift <= kRefineReach; ++shift) {
    const std::int64_t centre = candidate + shift;
    if (centre < 0 || centre >= band.n) continue;
    const double height = weighted_sum(weights, count, window + shift + kRefineReach, centre, band.n);
    if (height <= largest) continue;
    largest = height;
    found = centre;
  }
  if (threadIdx.x % 32 == 0) centres[k] = found;
}

// One warp works on one beat.
__global__ void place_r_peaks_kernel(Band band, const double* __restrict__ weights, int reach,
                                     const std::int64_t* __restrict__ centres, std::int64_t beats,
                                     double* __restrict__ peaks) {
  const int lane = threadIdx.x % 32, size = 2 * reach + 1;
  double* const weighted = windows + threadIdx.x / 32 * size;
  const std::int64_t k = global_thread() / 32;
  if (k >= beats) return;
  const PeakRange range(centres, beats, k, reach);
  constexpr int kPlaces = 2;
  double largest = -1, values[kPlaces];
  int best = size;
  for (int first = 0; first < size; first += 32 * kPlaces) {
    band.at_lane(centres[k] - reach + first, values);
#pragma unroll
    for (int p = 0; p < kPlaces; ++p) {
      const int i = first + lane + 32 * p;
      if (i >= size) continue;
      weighted[i] = values[p] * weights[i];
      if (i >= range.first && i <= range.last && weighted[i] > largest) {
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
  if (lane == 0) peaks[k] = peak_between(weighted, reach, best, range, centres[k], band.n);
}

Buffer<double, Cuda> on_device(Cuda& cuda, std::span<const double> values) {
  Buffer<double, Cuda> buffer(cuda, static_cast<std::int64_t>(values.size()));
  copy_bytes(cuda, values.data(), buffer.data(), values.size_bytes());
  return buffer;
}

// Launches a kernel in which one warp works on one item. `window` is the number of values in a warp's shared memory.
template <class... Parameters, class... Arguments>
void launch_warps(Cuda& cuda, std::int64_t items, std::size_t window, void (*kernel)(Parameters...),
                  Arguments... arguments) {
  constexpr std::size_t kFits = kMostPlaces * sizeof(double);  // 48 KB of shared memory, which every device has
  const std::size_t warp_bytes = window * sizeof(double);
  const auto warps = static_cast<int>(std::clamp<std::size_t>(kFits / warp_bytes, 1, kBlock / 32));
  launch(cuda, {blocks_for(items, warps), 32 * warps, warps * warp_bytes}, kernel, arguments...);
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
  launch_warps(cuda, count, weights.size(), smoothed_band_kernel, band, device_weights.data(),
               static_cast<int>(weights.size()), at.data(), count, heights.data());
}

void refine_candidates(Cuda& cuda, std::span<const float> signal, std::span<const double> taps,
                       std::span<const double> weights, std::span<const std::int64_t> candidates,
                       std::span<const std::int64_t> kept, std::span<std::int64_t> centres) {
  const auto n = static_cast<std::int64_t>(signal.size()), count = static_cast<std::int64_t>(kept.size());
  check_smoothed_band(n, static_cast<std::int64_t>(taps.size()), static_cast<std::int64_t>(weights.size()), count,
                      static_cast<std::int64_t>(centres.size()));
  if (count == 0) return;
  const auto device_taps = on_device(cuda, taps), device_weights = on_device(cuda, weights);
  const Band band{signal.data(), n, device_taps.data(), static_cast<int>(taps.size())};
  launch_warps(cuda, count, weights.size() + 2 * kRefineReach, refine_candidates_kernel, band, device_weights.data(),
               static_cast<int>(weights.size()), candidates.data(), kept.data(), count, centres.data());
}

void place_r_peaks(Cuda& cuda, std::span<const float> signal, std::span<const double> taps,
                   std::span<const std::int64_t> centres, const RPeakOptions& options, std::span<double> peaks) {
  const auto n = static_cast<std::int64_t>(signal.size()), count = static_cast<std::int64_t>(centres.size());
  const auto weights = checked_peak_weights(n, static_cast<std::int64_t>(taps.size()), count,
                                            static_cast<std::int64_t>(peaks.size()), options);
  if (count == 0) return;
  const auto device_taps = on_device(cuda, taps), device_weights = on_device(cuda, weights);
  const Band band{signal.data(), n, device_taps.data(), static_cast<int>(taps.size())};
  launch_warps(cuda, count, weights.size(), place_r_peaks_kernel, band, device_weights.data(), options.reach,
               centres.data(), count, peaks.data());
}

namespace {

constexpr int kWarps = kBlock / 32;

// One warp works on one pause: its lanes filter samples that are next to each other, and add up their squares. The taps
// are in shared memory, which all lanes read at the same place; the samples come from the nearest cache. The memory is
// padded, because the compiler reads taps in groups of four.
__global__ void pause_powers_kernel(const float* __restrict__ signal, Pauses pauses, std::int64_t count,
                                    const float* __restrict__ taps, int width, double* __restrict__ powers,
                                    std::int32_t* __restrict__ lengths) {
  extern __shared__ float shared_taps[];
  for (int j = static_cast<int>(threadIdx.x); j < width; j += kBlock) shared_taps[j] = taps[j];
  __syncthreads();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / 32;
  if (i >= count) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto [first, last] = pauses.of(i);
  double power = 0;
  for (std::int64_t p = first + lane; p < last; p += 32) {
    const float* newest = signal + p + pauses.half;
    float sum = 0;
#pragma unroll 4
    for (int j = 0; j < width; ++j) sum = fmaf(shared_taps[j], newest[-j], sum);
    power += static_cast<double>(sum) * sum;
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) power += __shfl_xor_sync(~0u, power, step);
  if (lane > 0) return;
  powers[i] = power;
  lengths[i] = static_cast<std::int32_t>(last - first);
}

}  // namespace

void pause_powers(Cuda& cuda, std::span<const float> signal, std::span<const double> r_peaks,
                  std::span<const std::uint8_t> broken, const std::vector<double>& taps, Pause pause,
                  std::span<double> powers, std::span<std::int32_t> lengths) {
  const Pauses pauses = checked_pauses(signal, r_peaks, broken, taps, pause, powers, lengths);
  const auto count = static_cast<std::int64_t>(powers.size());
  if (count == 0) return;
  const std::size_t padded = (taps.size() + 3) / 4 * 4;
  const auto device_taps = from_host(cuda, std::vector<float>(taps.begin(), taps.end()));
  launch(cuda, {blocks_for(count, kWarps), kBlock, padded * sizeof(float)}, pause_powers_kernel, signal.data(), pauses,
         count, device_taps.data(), static_cast<int>(taps.size()), powers.data(), lengths.data());
}

}  // namespace beatscan
