// kernels/lists/window_quantiles.cuh — quantiles of a window of doubles, by one warp.
#pragma once

#include <cstdint>

#include "kernels/lists/warp_select.cuh"
#include "kernels/runtime/portable.h"

namespace beatscan {

inline constexpr unsigned kNoKey = ~0u;

// A double as an integer of the same order: of negative values all bits are turned, and of others the sign alone. No
// value but NaN has kNoKey as its upper word.
struct DoubleKey {
  unsigned high, low;
};
__device__ inline DoubleKey key_of(double value) {
  const auto high = static_cast<unsigned>(__double2hiint(value)), low = static_cast<unsigned>(__double2loint(value));
  return high >> 31 ? DoubleKey{~high, ~low} : DoubleKey{high | 0x80000000u, low};
}
__device__ inline double value_of(DoubleKey key) {
  const DoubleKey bits = key.high >> 31 ? DoubleKey{key.high & 0x7fffffffu, key.low} : DoubleKey{~key.high, ~key.low};
  return __hiloint2double(static_cast<int>(bits.high), static_cast<int>(bits.low));
}

// A warp's window of values. The upper words of their keys stay in registers. Lower words are read only for values
// whose upper words are equal. Lane p % 32 has place p of the window.
template <int N>
struct Window {
  const double* values;
  int size;
  unsigned keys[N];  // upper words
  KeyRange range;

  __device__ Window(const double* first, int count) : values(first), size(count) {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const int place = k * 32 + static_cast<int>(threadIdx.x % 32);
      keys[k] = place < size ? key_of(values[place]).high : kNoKey;
    }
    range = range_of(keys, size);
  }

  // Reads the lower words of values with this upper word; kNoKey stands for the others.
  __device__ void low_words(unsigned high, unsigned (&lows)[N]) const {
#pragma unroll
    for (int k = 0; k < N; ++k)
      lows[k] = keys[k] == high ? key_of(values[k * 32 + static_cast<int>(threadIdx.x % 32)]).low : kNoKey;
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
    const double lower = value_of({high, low});
    if (below + 1 == size) return lower;
    return interpolate(lower, next(below, before, alike, high, low, lows), place - static_cast<double>(below));
  }

  // Returns the value of rank below + 1.
  __device__ double next(int below, int before, int alike, unsigned high, unsigned low,
                         const unsigned (&lows)[N]) const {
    const int rank = below + 1 - before;  // among the values with the same upper word
    if (rank < alike) {
      const int not_above = low == kNoKey ? alike : count_below(lows, low + 1);
      return value_of({high, rank < not_above ? low : least_from(lows, low + 1)});
    }
    const unsigned next_high = least_from(keys, high + 1);
    unsigned next_lows[N];
    low_words(next_high, next_lows);
    return value_of({next_high, least_from(next_lows, 0)});
  }
};

}  // namespace beatscan
