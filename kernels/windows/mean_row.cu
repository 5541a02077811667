#include "kernels/windows/mean_row.h"

#include "kernels/lists/warp_select.cuh"
#include "kernels/runtime/launch.cuh"
#include "kernels/runtime/portable.h"

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

namespace {

constexpr int kLaneRows = kMostMedianRows / 32;

// Returns bits that are in the order of their values. For that, those of negative floats are inverted.
__device__ unsigned key_of(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ float value_of(unsigned key) { return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key); }

// One warp works on one point. A lane holds the values of every 32nd row.
__global__ void median_row_kernel(const float* __restrict__ rows, int count, std::int64_t points,
                                  float* __restrict__ median) {
  const std::int64_t j = global_thread() / 32;
  if (j >= points) return;
  unsigned keys[kLaneRows];
#pragma unroll
  for (int k = 0; k < kLaneRows; ++k) {
    const int i = k * 32 + static_cast<int>(threadIdx.x % 32);
    keys[k] = i < count ? key_of(rows[i * points + j]) : ~0u;
  }
  const KeyRange range = range_of(keys, count);
  const float low = value_of(key_of_rank(keys, (count - 1) / 2, range));
  const float high = value_of(key_of_rank(keys, count / 2, range));
  if (threadIdx.x % 32 == 0) median[j] = interpolate(low, high, 0.5f);
}

// One warp works on one row.
__global__ void mean_squares_kernel(const float* __restrict__ rows, std::int64_t count, std::int64_t points,
                                    double* __restrict__ squares) {
  const std::int64_t i = global_thread() / 32;
  if (i >= count) return;
  double sum = 0;
  for (std::int64_t j = threadIdx.x % 32; j < points; j += 32) {
    const double value = rows[i * points + j];
    sum += value * value;
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) squares[i] = sum / static_cast<double>(points);
}

}  // namespace

void median_row(Cuda& cuda, std::span<const float> rows, std::span<float> median) {
  const auto points = static_cast<std::int64_t>(median.size());
  const auto count = check_median_row(static_cast<std::int64_t>(rows.size()), points);
  launch(cuda, {blocks_for(points, kBlock / 32)}, median_row_kernel, rows.data(), static_cast<int>(count), points,
         median.data());
}

void mean_squares(Cuda& cuda, std::span<const float> rows, std::span<double> squares) {
  const auto count = static_cast<std::int64_t>(squares.size());
  const auto points = check_mean_squares(static_cast<std::int64_t>(rows.size()), count);
  launch(cuda, {blocks_for(count, kBlock / 32)}, mean_squares_kernel, rows.data(), count, points, squares.data());
}

}  // namespace beatscan
