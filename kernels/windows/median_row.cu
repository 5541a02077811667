#include "kernels/lists/warp_select.cuh"
#include "kernels/runtime/launch.cuh"
#include "kernels/runtime/portable.h"
#include "kernels/windows/median_row.h"

namespace beatscan {
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
