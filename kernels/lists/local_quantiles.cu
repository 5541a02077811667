#include "kernels/lists/local_quantiles.h"

#include <cub/device/device_radix_sort.cuh>

#include "kernels/lists/warp_select.cuh"
#include "kernels/runtime/launch.cuh"
#include "kernels/runtime/portable.h"

namespace beatscan {

Buffer<float, Cuda> sorted(Cuda& cuda, std::span<const float> values) {
  const std::int64_t count = std::ssize(values);
  Buffer<float, Cuda> result(cuda, count);
  with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, values.data(), result.data(), count, 0, 32, cuda.stream());
  });
  return result;
}

namespace {

constexpr unsigned kNoKey = ~0u;

__device__ unsigned high_word(double value) { return static_cast<unsigned>(__double2hiint(value)); }
__device__ unsigned low_word(double value) { return static_cast<unsigned>(__double2loint(value)); }
__device__ double from_words(unsigned high, unsigned low) {
  return __hiloint2double(static_cast<int>(high), static_cast<int>(low));
}

// A warp's window of values. Doubles that are not negative are in the order of their bits. The high words stay in
// registers. Low words are read only for values whose high words are equal. Lane p % 32 has place p of the window.
template <int N>
struct Window {
  const double* values;
  int size;
  unsigned keys[N];  // high words
  KeyRange range;

  __device__ Window(const double* first, int count) : values(first), size(count) {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const int place = k * 32 + static_cast<int>(threadIdx.x % 32);
      keys[k] = place < size ? high_word(values[place]) : kNoKey;
    }
    range = range_of(keys, size);
  }

  // Reads the low words of values with this high word; kNoKey stands for the others.
  __device__ void low_words(unsigned high, unsigned (&lows)[N]) const {
#pragma unroll
    for (int k = 0; k < N; ++k)
      lows[k] = keys[k] == high ? low_word(values[k * 32 + static_cast<int>(threadIdx.x % 32)]) : kNoKey;
  }

  // Returns the q-quantile, which lies between the values of rank `below` and below + 1.
  __device__ double quantile(double q) const {
    const double place = __dmul_rn(q, static_cast<double>(size - 1));
    const int below = static_cast<int>(place);
    const unsigned high = key_of_rank(keys, below, range);
    const int before = count_below(keys, high);
    unsigned lows[N];
    low_words(high, lows);
    const int alike = count_below(keys, high + 1) - before;
    const unsigned low = key_of_rank(lows, below - before, {least_from(lows, 0), kNoKey, alike});
    const double lower = from_words(high, low);
    if (below + 1 == size) return lower;
    return interpolate(lower, next(below, before, alike, high, low, lows), place - static_cast<double>(below));
  }

  // Returns the value of rank below + 1.
  __device__ double next(int below, int before, int alike, unsigned high, unsigned low,
                         const unsigned (&lows)[N]) const {
    const int rank = below + 1 - before;  // among the values with the same high word
    if (rank < alike) {
      const int not_above = low == kNoKey ? alike : count_below(lows, low + 1);
      return from_words(high, rank < not_above ? low : least_from(lows, low + 1));
    }
    const unsigned next_high = least_from(keys, high + 1);
    unsigned next_lows[N];
    low_words(next_high, next_lows);
    return from_words(next_high, least_from(next_lows, 0));
  }
};

// One warp works on one window.
template <int N>
__global__ void local_quantiles_kernel(const double* __restrict__ values, std::int64_t value_count,
                                       const std::int64_t* __restrict__ middles, std::int64_t count, int reach,
                                       double q0, double q1, double* __restrict__ quantiles) {
  const std::int64_t i = global_thread() / 32;
  if (i >= count) return;
  const std::int64_t first = max(middles[i] - reach, std::int64_t{0}), last = min(middles[i] + reach, value_count);
  double found[2] = {NAN, NAN};
  if (last > first) {
    const Window<N> window(values + first, static_cast<int>(last - first));
    found[0] = window.quantile(q0);
    found[1] = q1 == q0 ? found[0] : window.quantile(q1);
  }
  if (threadIdx.x % 32 == 0) {
    quantiles[2 * i] = found[0];
    quantiles[2 * i + 1] = found[1];
  }
}

}  // namespace

void local_quantiles(Cuda& cuda, std::span<const double> values, std::span<const std::int64_t> middles, int reach,
                     std::array<double, 2> q, std::span<double> quantiles) {
  const auto count = static_cast<std::int64_t>(middles.size());
  check_local_quantiles(count, reach, q, static_cast<std::int64_t>(quantiles.size()));
  if (count == 0) return;
  const auto queue = [&](auto kernel) {
    launch(cuda, {blocks_for(count, kBlock / 32)}, kernel, values.data(), static_cast<std::int64_t>(values.size()),
           middles.data(), count, reach, q[0], q[1], quantiles.data());
  };
  constexpr int kFew = 10, kMany = (2 * kMostReach + 31) / 32;
  if (2 * reach <= 32 * kFew)
    queue(local_quantiles_kernel<kFew>);
  else
    queue(local_quantiles_kernel<kMany>);
}

}  // namespace beatscan
