#include "kernels/centred_rows.h"
#include "kernels/centred_rows_common.h"
#include "kernels/launch.cuh"

namespace beatscan {
namespace {

// One thread a block of samples: neighbouring threads share cache lines.
__global__ void block_means_kernel(const float* __restrict__ signal, std::int64_t n, std::int64_t width,
                                   std::int64_t blocks, float* __restrict__ means) {
  const std::int64_t i = global_thread();
  if (i >= blocks) return;
  const std::int64_t first = i * width, last = min(first + width, n);
  float sum = 0;
  for (std::int64_t j = first; j < last; ++j) sum += signal[j] - signal[first];
  means[i] = signal[first] + sum / static_cast<float>(last - first);
}

// One warp a row; a lane writes every 32nd point, and reads its own again once the mean is known.
__global__ void centred_rows_kernel(RowPoint point, const double* __restrict__ centres, std::int64_t count,
                                    RowPlaces places, float factor, const float* __restrict__ offset,
                                    std::int64_t points, float* __restrict__ rows) {
  const std::int64_t b = global_thread() / 32;
  if (b >= count) return;
  float* row = rows + b * points;
  const double start = centres[b] - places.before;
  const PointsInside inside(start, places.step, point.n, points);
  float sum = 0, offset_sum = 0;
  for (std::int64_t j = threadIdx.x % 32; j < points; j += 32)
    if (inside.has(j)) {
      sum += row[j] = point(start + static_cast<double>(j) * places.step);
      if (offset) offset_sum += offset[j];
    }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(~0u, sum, step);
    offset_sum += __shfl_xor_sync(~0u, offset_sum, step);
  }
  const float mean = sum / static_cast<float>(inside.count());
  const float offset_mean = inside.count() < points ? offset_sum / static_cast<float>(inside.count()) : 0;
  for (std::int64_t j = threadIdx.x % 32; j < points; j += 32)
    row[j] = !inside.has(j) ? 0 : factor * (row[j] - mean) - (offset ? offset[j] - offset_mean : 0.0f);
}

}  // namespace

void block_means(Cuda& cuda, std::span<const float> signal, std::int64_t width, std::span<float> means) {
  const auto n = static_cast<std::int64_t>(signal.size()), blocks = static_cast<std::int64_t>(means.size());
  check_block_means(n, width, blocks);
  block_means_kernel<<<blocks_for(blocks), kBlock, 0, cuda.stream()>>>(signal.data(), n, width, blocks, means.data());
  check_launch();
}

void centred_rows(Cuda& cuda, std::span<const float> signal, std::span<const float> baseline, std::int64_t width,
                  std::span<const double> centres, RowPlaces places, const RowFilter& filter, float factor,
                  std::span<const float> offset, std::int64_t points, std::span<float> rows) {
  const auto n = static_cast<std::int64_t>(signal.size()), blocks = static_cast<std::int64_t>(baseline.size());
  const auto count = static_cast<std::int64_t>(centres.size());
  check_centred_rows(n, blocks, width, count, places, filter, static_cast<std::int64_t>(offset.size()), points,
                     static_cast<std::int64_t>(rows.size()));
  if (count == 0) return;
  Buffer<float, Cuda> weights(cuda, static_cast<std::int64_t>(filter.weights.size()));
  copy_bytes(cuda, filter.weights.data(), weights.data(), filter.weights.size() * sizeof(float));
  const RowPoint point{signal.data(),  n,          baseline.data(), blocks, static_cast<double>(width),
                       weights.data(), filter.taps};
  centred_rows_kernel<<<blocks_for(count, kBlock / 32), kBlock, 0, cuda.stream()>>>(
      point, centres.data(), count, places, factor, offset.empty() ? nullptr : offset.data(), points, rows.data());
  check_launch();
}

}  // namespace beatscan
