#include "kernels/runtime/launch.cuh"
#include "kernels/waves/medians.cuh"

namespace beatscan::waves {
namespace {

// Each lane up to 16 handles one neighbour.
__device__ Neighbours neighbours_of(const std::int32_t* labels, std::int64_t count, std::int64_t i) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t beat = i + lane - kAverageReach;
  const std::int32_t own = labels[i];
  const bool member = own >= 0 && lane < kNeighbours && beat >= 0 && beat < count && labels[beat] == own;
  const unsigned bits = __ballot_sync(~0u, member);
  return {bits, __popc(bits)};
}

// The places of the network that hold -inf because there is no neighbour.
__device__ unsigned places_below(const Neighbours& neighbours) {
  unsigned unused = ~neighbours.members & ((1u << kNeighbours) - 1), below = 0;
  for (int i = 0; i < neighbours.places_below(); ++i) {
    below |= unused & -unused;
    unused &= unused - 1;
  }
  return below;
}

// Returns the median over neighbours of one value; `row` is where it lies in the window of beat i - 8.
__device__ __forceinline__ float median_of_rows(const float* row, const Neighbours& neighbours, unsigned below) {
  float values[kNeighbours];
#pragma unroll
  for (int j = 0; j < kNeighbours; ++j) {
    values[j] = below >> j & 1 ? -INFINITY : INFINITY;
    if (neighbours.members >> j & 1) values[j] = row[j * kValues];
  }
  select_middle(values);
  return neighbours.even() ? (values[kAverageReach - 1] + values[kAverageReach]) * 0.5f : values[kAverageReach];
}

// One warp averages one beat. Medians go through shared memory: the network ten times over, for the registers of a
// lane, would not fit the instruction cache.
__global__ void __launch_bounds__(kBlock)
    local_averages_kernel(const float* __restrict__ windows, const std::int32_t* __restrict__ labels,
                          std::int64_t window_count, std::int64_t skip, std::int64_t beats,
                          float* __restrict__ averages, float* __restrict__ heights) {
  __shared__ float medians[kBlock / 32][kValues];
  const int lane = static_cast<int>(threadIdx.x % 32);
  float* own = medians[threadIdx.x / 32];
  const std::int64_t b = global_thread() / 32;
  if (b >= beats) return;
  const Neighbours neighbours = neighbours_of(labels, window_count, skip + b);
  const unsigned below = places_below(neighbours);
  const float* window = windows + (skip + b) * kValues;
#pragma unroll 1
  for (int k = lane; k < kValues; k += 32)
    own[k] = neighbours.enough() ? median_of_rows(window - kAverageReach * kValues + k, neighbours, below) : window[k];
  float values[kLaneValues];
#pragma unroll
  for (int i = 0; i < kLaneValues; ++i) values[i] = own[32 * i + lane];
  const float median = warp_median(values, kValues);
  float height = kMinHeight;
#pragma unroll
  for (int i = 0; i < kLaneValues; ++i) {
    const int k = 32 * i + lane;
    values[i] -= median;
    averages[b * kValues + k] = values[i];
    if (k >= kRValue - kHeightReach && k <= kRValue + kHeightReach) height = fmaxf(height, fabsf(values[i]));
  }
  // Floats that are not negative are in the order of their bits.
  height = __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(height)));
  if (lane == 0) heights[b] = height;
}

}  // namespace

void local_averages(Cuda& cuda, std::span<const float> windows, std::span<const std::int32_t> labels, std::int64_t skip,
                    std::span<float> averages, std::span<float> heights) {
  const auto beats = static_cast<std::int64_t>(heights.size());
  const std::int64_t count =
      check_local_averages(static_cast<std::int64_t>(windows.size()), static_cast<std::int64_t>(labels.size()), skip,
                           static_cast<std::int64_t>(averages.size()), beats);
  if (beats == 0) return;
  launch(cuda, {blocks_for(beats, kBlock / 32)}, local_averages_kernel, windows.data(), labels.data(), count, skip,
         beats, averages.data(), heights.data());
}

}  // namespace beatscan::waves
