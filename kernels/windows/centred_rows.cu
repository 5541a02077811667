#include "kernels/windows/centred_rows.h"

#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

// One thread works on one block of samples. Neighbouring threads share cache lines.
__global__ void block_means_kernel(const float* __restrict__ signal, std::int64_t n, std::int64_t width,
                                   std::int64_t blocks, float* __restrict__ means) {
  const std::int64_t i = global_thread();
  if (i >= blocks) return;
  const std::int64_t first = i * width, last = min(first + width, n);
  float sum = 0;
  for (std::int64_t j = first; j < last; ++j) sum += signal[j] - signal[first];
  means[i] = signal[first] + sum / static_cast<float>(last - first);
}

// Neighbouring lanes want different phases of the same tap. With the phases side by side they meet different banks.
constexpr int kPhases = kRowPhases + 1;
constexpr std::size_t kMostSharedBytes = 48 << 10;

// The points of a row that a lane has: every 32nd one. They are in registers if their number is known.
template <int kPoints>
struct LanePoints {
  float values[kPoints / 32];
  __device__ LanePoints(float*) {}
  __device__ float& at(std::int64_t k) { return values[k]; }
};
template <>
struct LanePoints<0> {
  float* first;
  __device__ LanePoints(float* row) : first(row + threadIdx.x % 32) {}
  __device__ float& at(std::int64_t k) { return first[k * 32]; }
};

// One warp makes one row. kPoints is the number of points of a row and kTaps that of the filter's taps; 0 stands for
// any number.
template <int kPoints, int kTaps>
__global__ void centred_rows_kernel(RowPoint<kTaps> point, bool share_weights, const double* __restrict__ centres,
                                    std::int64_t count, RowPlaces places, float factor,
                                    const float* __restrict__ offset, std::int64_t any_points,
                                    float* __restrict__ rows) {
  extern __shared__ float shared_weights[];
  if (share_weights) {
    for (int i = static_cast<int>(threadIdx.x); i < kPhases * point.any_taps; i += kBlock)
      shared_weights[i] = point.weights[i];
    __syncthreads();
    point.weights = shared_weights;
  }
  const std::int64_t b = global_thread() / 32, points = kPoints > 0 ? kPoints : any_points;
  if (b >= count) return;
  float* row = rows + b * points;
  LanePoints<kPoints> own(row);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t own_points = kPoints > 0 ? kPoints / 32 : (points - lane + 31) / 32;
  const double start = centres[b] - places.before;
  const PointsInside inside(start, places.step, point.n, points);
  float sum = 0, offset_sum = 0;
#pragma unroll
  for (std::int64_t k = 0; k < own_points; ++k) {
    const std::int64_t j = k * 32 + lane;
    if (!inside.has(j)) continue;
    sum += own.at(k) = point(start + static_cast<double>(j) * places.step);
    if (offset) offset_sum += offset[j];
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(~0u, sum, step);
    offset_sum += __shfl_xor_sync(~0u, offset_sum, step);
  }
  const float mean = sum / static_cast<float>(inside.count());
  const float offset_mean = inside.count() < points ? offset_sum / static_cast<float>(inside.count()) : 0;
#pragma unroll
  for (std::int64_t k = 0; k < own_points; ++k) {
    const std::int64_t j = k * 32 + lane;
    row[j] = !inside.has(j) ? 0 : factor * (own.at(k) - mean) - (offset ? offset[j] - offset_mean : 0.0f);
  }
}

// Returns the weights with the taps first: [taps][kPhases].
std::vector<float> phases_side_by_side(const RowFilter& filter) {
  std::vector<float> turned(filter.weights.size());
  for (int phase = 0; phase < kPhases; ++phase)
    for (int tap = 0; tap < filter.taps; ++tap)
      turned[tap * kPhases + phase] = filter.weights[phase * filter.taps + tap];
  return turned;
}

}  // namespace

void block_means(Cuda& cuda, std::span<const float> signal, std::int64_t width, std::span<float> means) {
  const auto n = static_cast<std::int64_t>(signal.size()), blocks = static_cast<std::int64_t>(means.size());
  check_block_means(n, width, blocks);
  launch(cuda, {blocks_for(blocks)}, block_means_kernel, signal.data(), n, width, blocks, means.data());
}

void centred_rows(Cuda& cuda, std::span<const float> signal, std::span<const float> baseline, std::int64_t width,
                  std::span<const double> centres, RowPlaces places, const RowFilter& filter, float factor,
                  std::span<const float> offset, std::int64_t points, std::span<float> rows) {
  const auto n = static_cast<std::int64_t>(signal.size()), blocks = static_cast<std::int64_t>(baseline.size());
  const auto count = static_cast<std::int64_t>(centres.size());
  check_centred_rows(n, blocks, width, count, places, filter, static_cast<std::int64_t>(offset.size()), points,
                     static_cast<std::int64_t>(rows.size()));
  if (count == 0) return;
  const auto turned = phases_side_by_side(filter);
  Buffer<float, Cuda> weights(cuda, static_cast<std::int64_t>(turned.size()));
  const std::size_t bytes = turned.size() * sizeof(float);
  copy_bytes(cuda, turned.data(), weights.data(), bytes);
  const bool shared = bytes <= kMostSharedBytes;
  const auto queue = [&]<int kPoints, int kTaps>(std::integer_sequence<int, kPoints, kTaps>) {
    const RowPoint<kTaps> point{signal.data(), n, baseline.data(), blocks, static_cast<double>(width), weights.data(),
                                filter.taps,   1, kPhases};
    launch(cuda, {blocks_for(count, kBlock / 32), kBlock, shared ? bytes : 0}, centred_rows_kernel<kPoints, kTaps>,
           point, shared, centres.data(), count, places, factor, offset.empty() ? nullptr : offset.data(), points,
           rows.data());
  };
  // Rows of 256 points with the default low-pass of 40 Hz have 4, 6, 8 and 10 taps at up to 128, 250, 360 and 500 Hz.
  using std::integer_sequence;
  if (points != 256) return queue(integer_sequence<int, 0, 0>());
  if (filter.taps == 4) return queue(integer_sequence<int, 256, 4>());
  if (filter.taps == 6) return queue(integer_sequence<int, 256, 6>());
  if (filter.taps == 8) return queue(integer_sequence<int, 256, 8>());
  if (filter.taps == 10) return queue(integer_sequence<int, 256, 10>());
  queue(integer_sequence<int, 256, 0>());
}

}  // namespace beatscan
