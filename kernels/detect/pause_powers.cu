#include "kernels/detect/pause_powers.h"
#include "kernels/detect/pause_powers_common.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {
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
