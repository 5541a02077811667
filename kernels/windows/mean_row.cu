#include "kernels/runtime/launch.cuh"
#include "kernels/windows/mean_row.h"

namespace beatscan {
namespace {

// Block p sums part p of the rows. Thread t of it sums the points t, t + kBlock, ...
__global__ void sum_rows_kernel(const float* __restrict__ rows, const std::int32_t* __restrict__ indices,
                                std::int64_t n, int points, float* __restrict__ parts) {
  const std::int64_t part = blockIdx.x, first = n * part / kMeanParts, last = n * (part + 1) / kMeanParts;
  for (int t = static_cast<int>(threadIdx.x); t < points; t += kBlock) {
    float sum = 0;
#pragma unroll 8
    for (std::int64_t i = first; i < last; ++i) sum += rows[std::int64_t{indices[i]} * points + t];
    parts[part * points + t] = sum;
  }
}

__global__ void mean_of_parts_kernel(const float* __restrict__ parts, std::int64_t n, int points,
                                     float* __restrict__ row) {
  const auto t = static_cast<int>(global_thread());
  if (t >= points) return;
  double sum = 0;
#pragma unroll 8
  for (int part = 0; part < kMeanParts; ++part) sum += parts[part * points + t];
  row[t] = static_cast<float>(sum / static_cast<double>(n));
}

// One warp works on one row.
__global__ void row_errors_kernel(const float* __restrict__ rows, const std::int32_t* __restrict__ indices,
                                  std::int64_t n, const float* __restrict__ row, int points,
                                  float* __restrict__ errors) {
  const std::int64_t i = global_thread() / 32;
  if (i >= n) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  float sum = 0;
  for (int t = lane; t < points; t += 32) {
    const float difference = rows[std::int64_t{indices[i]} * points + t] - row[t];
    sum = fmaf(difference, difference, sum);
  }
#pragma unroll
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
  if (lane == 0) errors[i] = sum / static_cast<float>(points);
}

}  // namespace

void mean_row(Cuda& cuda, std::span<const float> rows, std::span<const std::int32_t> indices, std::span<float> row) {
  const auto points = static_cast<int>(row.size());
  const auto n = static_cast<std::int64_t>(indices.size());
  BEATSCAN_EXPECTS(n > 0 && points > 0 && rows.size() % row.size() == 0, "mean_row: bad shape");
  Buffer<float, Cuda> parts(cuda, kMeanParts * points);
  launch(cuda, {kMeanParts}, sum_rows_kernel, rows.data(), indices.data(), n, points, parts.data());
  launch(cuda, {blocks_for(points)}, mean_of_parts_kernel, parts.data(), n, points, row.data());
}

void row_errors(Cuda& cuda, std::span<const float> rows, std::span<const std::int32_t> indices,
                std::span<const float> row, std::span<float> errors) {
  BEATSCAN_EXPECTS(!row.empty() && rows.size() % row.size() == 0 && errors.size() == indices.size(),
                   "row_errors: bad shape");
  const auto n = static_cast<std::int64_t>(indices.size());
  launch(cuda, {blocks_for(n, kBlock / 32)}, row_errors_kernel, rows.data(), indices.data(), n, row.data(),
         static_cast<int>(row.size()), errors.data());
}

}  // namespace beatscan
