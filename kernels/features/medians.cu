#include "kernels/features/medians.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan::features {
namespace {

// A block of threads finds a local beat, one thread a place of it.
__global__ void local_beats_kernel(const float* windows, const std::uint8_t* fit, std::int64_t skip, std::int64_t beats,
                                   std::int64_t count, float* local) {
  static_assert(kBlock + 2 * kReach == 64);
  __shared__ std::int16_t chosen[64];
  __shared__ float values[64][kValues];
  __shared__ int size;
  const LocalWindows near = local_windows(skip, beats, count, blockIdx.x);
  if (threadIdx.x == 0) {
    size = 0;
    for (std::int64_t w = near.first; w < near.last; ++w)
      if (fit[w]) chosen[size++] = static_cast<std::int16_t>(w - near.first);
    if (size < kFewestFit)
      for (size = 0; size < near.last - near.first; ++size) chosen[size] = static_cast<std::int16_t>(size);
  }
  __syncthreads();
  const int k = static_cast<int>(threadIdx.x);
  for (int w = 0; w < size; ++w) values[w][k] = windows[(near.first + chosen[w]) * kValues + k];
  for (int w = 0; w < size; ++w) {
    const float own = values[w][k];
    int rank = 0;
    for (int v = 0; v < size; ++v) rank += v < w ? values[v][k] <= own : values[v][k] < own;
    if (rank == size / 2) local[static_cast<std::int64_t>(blockIdx.x) * kValues + k] = own;
  }
}

}  // namespace

void local_beats(Cuda& cuda, const ShapeRange& range, std::span<const std::uint8_t> fit, std::span<float> local) {
  const auto blocks = static_cast<std::int64_t>(local.size()) / kValues;
  if (blocks == 0) return;
  launch(cuda, {blocks_for(blocks, 1), kValues}, local_beats_kernel, range.windows.data(), fit.data(), range.skip,
         range.beats, static_cast<std::int64_t>(fit.size()), local.data());
}

}  // namespace beatscan::features
