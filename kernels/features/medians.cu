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

constexpr int kThreads = 1024, kKeys = kMostRows / kThreads;
constexpr unsigned kNoKey = ~0u;  // of a value that does not count

__device__ unsigned key_of(float value) {
  const unsigned bits = __float_as_uint(value);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
__device__ float value_of(unsigned key) { return __uint_as_float(key >> 31 ? key & 0x7fffffffu : ~key); }

// Combines a number of each thread of a block by reduce(), which combines those of a warp. All threads get the result.
template <class Reduce>
__device__ unsigned of_block(unsigned own, const Reduce& reduce) {
  __shared__ unsigned of_warps[kThreads / 32];
  own = reduce(own);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
  __syncthreads();
  const unsigned all = reduce(of_warps[threadIdx.x % 32]);
  __syncthreads();
  return all;
}
static_assert(kThreads / 32 == 32);

template <class Counts>
__device__ unsigned count_of(const unsigned (&keys)[kKeys], const Counts& counts) {
  unsigned found = 0;
  for (const unsigned key : keys) found += counts(key) ? 1 : 0;
  return of_block(found, [](unsigned own) { return __reduce_add_sync(~0u, own); });
}

// Returns the key that `rank` keys precede, one bit after the other.
__device__ unsigned key_of_rank(const unsigned (&keys)[kKeys], unsigned rank) {
  unsigned found = 0;
  for (unsigned bit = 1u << 31; bit > 0; bit >>= 1)
    if (const unsigned limit = found | bit; count_of(keys, [=](unsigned key) { return key < limit; }) <= rank)
      found = limit;
  return found;
}

// A block finds the median of a column of some rows: the values in the middle, which differ where their number is even.
__global__ void column_medians_kernel(const float* rows, int width, const std::int64_t* places,
                                      const std::uint8_t* chosen, int count, double* between, float* upper) {
  unsigned keys[kKeys];
  for (int k = 0; k < kKeys; ++k) {
    const int p = k * kThreads + static_cast<int>(threadIdx.x);
    keys[k] = kNoKey;
    if (p >= count || (chosen && !chosen[p])) continue;
    const float value = rows[(places ? places[p] : p) * width + blockIdx.x];
    if (isfinite(value)) keys[k] = key_of(value);
  }
  const unsigned size = count_of(keys, [](unsigned key) { return key != kNoKey; });
  double low = 0, high = upper ? NAN : 0;
  if (size > 0) {
    const unsigned first = key_of_rank(keys, (size - 1) / 2);
    unsigned second = first;
    if (count_of(keys, [=](unsigned key) { return key <= first; }) <= size / 2) {
      second = kNoKey;
      for (const unsigned key : keys)
        if (key > first) second = min(second, key);
      second = of_block(second, [](unsigned own) { return __reduce_min_sync(~0u, own); });
    }
    low = value_of(first);
    high = value_of(second);
  }
  if (threadIdx.x > 0) return;
  if (between) between[blockIdx.x] = interpolate(low, high, size % 2 == 0 ? 0.5 : 0);
  if (upper) upper[blockIdx.x] = static_cast<float>(high);
}

}  // namespace

void median_window(Cuda& cuda, std::span<const float> windows, std::span<const std::uint8_t> chosen,
                   std::span<float> median) {
  const auto count = static_cast<std::int64_t>(windows.size()) / kValues;
  BEATSCAN_EXPECTS(median.size() == kValues && windows.size() % kValues == 0 && count <= kMostRows &&
                       (chosen.empty() || static_cast<std::int64_t>(chosen.size()) == count),
                   "median_window: bad shape");
  launch(cuda, {kValues, kThreads}, column_medians_kernel, windows.data(), kValues, nullptr,
         chosen.empty() ? nullptr : chosen.data(), static_cast<int>(count), nullptr, median.data());
}

void measure_medians(Cuda& cuda, std::span<const float> measures, std::span<const std::int64_t> beats,
                     std::span<double> medians) {
  const auto count = static_cast<std::int64_t>(beats.size());
  BEATSCAN_EXPECTS(medians.size() == kShapeMeasures && count <= kMostRows, "measure_medians: bad shape");
  launch(cuda, {kShapeMeasures, kThreads}, column_medians_kernel, measures.data(), static_cast<int>(kShapeMeasures),
         beats.data(), nullptr, static_cast<int>(count), medians.data(), nullptr);
}

void local_beats(Cuda& cuda, const ShapeRange& range, std::span<const std::uint8_t> fit, std::span<float> local) {
  const auto blocks = static_cast<std::int64_t>(local.size()) / kValues;
  if (blocks == 0) return;
  launch(cuda, {blocks_for(blocks, 1), kValues}, local_beats_kernel, range.windows.data(), fit.data(), range.skip,
         range.beats, static_cast<std::int64_t>(fit.size()), local.data());
}

}  // namespace beatscan::features
