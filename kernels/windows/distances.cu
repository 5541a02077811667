#include "kernels/lists/warp_select.cuh"
#include "kernels/runtime/each.h"
#include "kernels/runtime/launch.cuh"
#include "kernels/windows/distances.h"

namespace beatscan {
namespace {

__device__ float sum_over_warp(float value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

// One warp works on one row.
__global__ void scaled_distances_kernel(const float* __restrict__ rows, std::int64_t count,
                                        const float* __restrict__ median, float spread, std::int64_t points,
                                        SizeRange range, float* __restrict__ distances) {
  const std::int64_t b = global_thread() / 32;
  if (b >= count) return;
  const float* row = rows + b * points;
  float product = 0, square = 0, sum = 0;
  for (std::int64_t j = threadIdx.x % 32; j < points; j += 32) {
    product += (median[j] + spread * row[j]) * median[j];
    square += median[j] * median[j];
  }
  const float size = min(max(sum_over_warp(product) / sum_over_warp(square), range.low), range.high);
  for (std::int64_t j = threadIdx.x % 32; j < points; j += 32) {
    const float difference = median[j] + spread * row[j] - size * median[j];
    sum += difference * difference;
  }
  sum = sum_over_warp(sum);
  if (threadIdx.x % 32 == 0) distances[b] = sum / static_cast<float>(points);
}

// One thread computes the mean of `width` neighbouring values.
__global__ void pool_kernel(const float* __restrict__ values, std::int64_t count, std::int64_t width,
                            float* __restrict__ means) {
  const std::int64_t i = global_thread();
  if (i >= count) return;
  float sum = 0;
  for (std::int64_t j = 0; j < width; ++j) sum += values[i * width + j];
  means[i] = sum / static_cast<float>(width);
}

constexpr int kWarps = 16;    // warps of a block
constexpr int kWarpRows = 4;  // rows that a warp compares at a time
constexpr int kTile = 128;    // references that it compares them with at a time
constexpr int kTiles = kMostReferences / kTile, kLaneReferences = kTile / 32;
constexpr int kQuads = kPooledPoints / 4;  // float4 of a pooled row
constexpr int kStride = kQuads + 1;        // float4 from one reference to the next; the odd number meets all banks

// Returns the distance of this rank. As bits, floats that are not negative are in the order of their values.
__device__ float value_of_rank(const float (&values)[kTiles * kLaneReferences], int rank, int count) {
  unsigned keys[kTiles * kLaneReferences];
#pragma unroll
  for (int k = 0; k < kTiles * kLaneReferences; ++k)
    keys[k] = k * 32 + static_cast<int>(threadIdx.x % 32) < count ? __float_as_uint(values[k]) : ~0u;
  return __uint_as_float(key_of_rank(keys, rank, range_of(keys, count)));
}

// Copies `items` pooled rows from `first` on to shared memory, but none from `count` on. Each is `stride` float4 after
// the one before. All of `threads` threads call it, each with its own number `thread`.
__device__ void load_rows(const float* __restrict__ rows, std::int64_t first, std::int64_t count, int items, int stride,
                          float4* target, int thread, int threads) {
  for (int i = thread; i < items * kQuads; i += threads)
    if (first + i / kQuads < count)
      target[i / kQuads * stride + i % kQuads] =
          reinterpret_cast<const float4*>(rows)[(first + i / kQuads) * kQuads + i % kQuads];
}

// Adds to `sums` the squared distances of the warp's rows to the lane's references of a tile. reference(k) points to
// the lane's reference k.
template <class Reference>
__device__ void compare_with_tile(const float4 (*own)[kQuads], Reference reference,
                                  float (&sums)[kWarpRows][kLaneReferences]) {
  for (int quad = 0; quad < kQuads; ++quad) {
    float4 x[kWarpRows];
#pragma unroll
    for (int row = 0; row < kWarpRows; ++row) x[row] = own[row][quad];
#pragma unroll
    for (int k = 0; k < kLaneReferences; ++k) {
      const float4 r = reference(k)[quad];
#pragma unroll
      for (int row = 0; row < kWarpRows; ++row) {
        const float a = x[row].x - r.x, b = x[row].y - r.y, c = x[row].z - r.z, d = x[row].w - r.w;
        sums[row][k] = fmaf(d, d, fmaf(c, c, fmaf(b, b, fmaf(a, a, sums[row][k]))));
      }
    }
  }
}

// The references lie in shared memory if it holds all of them, 152 KB. Otherwise they are read from the first- and
// second-level caches, as on GPUs with 99 KB of shared memory for a block.
template <bool kShared>
struct NearestMemory {
  float4 own[kWarps][kWarpRows][kQuads];
  float4 references[kShared ? kMostReferences * kStride : 1];
};

// A block works on many rows. A warp takes kWarpRows rows at a time, and each of its lanes kLaneReferences references
// of a tile. The distances stay in registers until all tiles are done.
template <bool kShared>
__global__ __launch_bounds__(kWarps * 32) void nearest_distances_kernel(const float* __restrict__ rows,
                                                                        std::int64_t count,
                                                                        const float* __restrict__ references,
                                                                        int reference_count, int rank,
                                                                        float* __restrict__ distances) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<NearestMemory<kShared>*>(shared);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (kShared)
    load_rows(references, 0, reference_count, kMostReferences, kStride, memory.references,
              static_cast<int>(threadIdx.x), kWarps * 32);
  __syncthreads();
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps * kWarpRows;
  for (std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * kWarps + warp) * kWarpRows; first < count;
       first += step) {
    __syncwarp();
    load_rows(rows, first, count, kWarpRows, kQuads, memory.own[warp][0], lane, 32);
    __syncwarp();
    float all[kWarpRows][kTiles * kLaneReferences];
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      float sums[kWarpRows][kLaneReferences] = {};
      const auto reference = [&](int k) {
        const int number = t * kTile + k * 32 + lane;
        return kShared ? memory.references + number * kStride
                       : reinterpret_cast<const float4*>(references) + min(number, reference_count - 1) * kQuads;
      };
      compare_with_tile(memory.own[warp], reference, sums);
#pragma unroll
      for (int k = 0; k < kLaneReferences; ++k)
#pragma unroll
        for (int row = 0; row < kWarpRows; ++row) all[row][t * kLaneReferences + k] = sums[row][k];
    }
#pragma unroll
    for (int row = 0; row < kWarpRows; ++row) {
      const float distance = value_of_rank(all[row], rank, reference_count) / kPooledPoints;
      if (lane == 0 && first + row < count) distances[first + row] = distance;
    }
  }
}

Buffer<float, Cuda> pooled(Cuda& cuda, std::span<const float> rows, std::int64_t points) {
  const std::int64_t width = points / kPooledPoints;
  Buffer<float, Cuda> means(cuda, static_cast<std::int64_t>(rows.size()) / width);
  launch(cuda, {blocks_for(means.size())}, pool_kernel, rows.data(), means.size(), width, means.data());
  return means;
}

}  // namespace

void scaled_distances(Cuda& cuda, std::span<const float> rows, std::span<const float> median, float spread,
                      SizeRange range, std::span<float> distances) {
  const auto points = static_cast<std::int64_t>(median.size()), count = static_cast<std::int64_t>(distances.size());
  check_scaled_distances(static_cast<std::int64_t>(rows.size()), points, count);
  if (count == 0) return;
  launch(cuda, {blocks_for(count, kBlock / 32)}, scaled_distances_kernel, rows.data(), count, median.data(), spread,
         points, range, distances.data());
}

void drop_far(Cuda& cuda, std::span<const float> distances, double farthest, std::span<std::uint8_t> flags) {
  BEATSCAN_EXPECTS(distances.size() == flags.size(), "drop_far: bad shape");
  each(cuda, static_cast<std::int64_t>(flags.size()),
       [distances = distances.data(), farthest, flags = flags.data()] __device__(std::int64_t i) {
         flags[i] = flags[i] && distances[i] <= farthest;
       });
}

void nearest_distances(Cuda& cuda, std::span<const float> rows, std::span<const float> references, std::int64_t points,
                       int rank, std::span<float> distances) {
  const auto count = static_cast<std::int64_t>(distances.size());
  check_nearest_distances(static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(references.size()), points,
                          rank, count);
  if (count == 0) return;
  constexpr std::int64_t kBatch = 1 << 18;  // rows pooled at a time, so that the pooled rows take little memory
  const auto few_references = pooled(cuda, references, points);
  const auto queue = [&]<bool kShared>(std::bool_constant<kShared>, const Buffer<float, Cuda>& few_rows,
                                       std::int64_t first, std::int64_t batch) {
    launch_persistent(cuda, batch, {kWarps * kWarpRows, kWarps * 32, sizeof(NearestMemory<kShared>), 1},
                      nearest_distances_kernel<kShared>, few_rows.data(), batch, few_references.data(),
                      static_cast<int>(few_references.size() / kPooledPoints), rank, distances.data() + first);
  };
  const bool shared = sizeof(NearestMemory<true>) <= shared_bytes_of_a_block(cuda);
  for (std::int64_t first = 0; first < count; first += kBatch) {
    const auto batch = std::min(kBatch, count - first);
    const auto few_rows = pooled(cuda, rows.subspan(first * points, batch * points), points);
    if (shared)
      queue(std::true_type{}, few_rows, first, batch);
    else
      queue(std::false_type{}, few_rows, first, batch);
  }
}

}  // namespace beatscan
