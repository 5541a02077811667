// kernels/waves/median_search.h — the median of some values by counting how many are below a guess, for both back ends.
//
// Values is a class with these functions, in which NaN does not count:
//   below(x), upto(x)                how many values are < x, and <= x
//   least(), greatest()              of all values
//   from(x), above(x), before(x)     the least value >= x, the least one > x, and the greatest one < x
#pragma once

#include "kernels/waves/net_layers.h"

namespace beatscan::waves {

// Returns the float that is half-way from a to b in the order of floats. Its bits as integers are in this order once
// those of negative floats are turned round.
BEATSCAN_INLINE_BOTH float half_way(float a, float b) {
  const auto turned = [](int bits) { return bits ^ ((bits >> 31) & 0x7fffffff); };
#ifdef __CUDA_ARCH__
  const int x = turned(__float_as_int(a)), y = turned(__float_as_int(b));
  return __int_as_float(turned((x >> 1) + (y >> 1) + (x & y & 1)));
#else
  const int x = turned(__builtin_bit_cast(int, a)), y = turned(__builtin_bit_cast(int, b));
  return __builtin_bit_cast(float, turned((x >> 1) + (y >> 1) + (x & y & 1)));
#endif
}

// Returns the value that `rank` of `count` values precede in ascending order. A straight line through the counts known
// so far guesses where it lies, which takes about seven guesses. Every third guess halves what is left of all floats,
// so that no values take more than a hundred.
template <class Values>
BEATSCAN_INLINE_BOTH float value_of_rank(const Values& values, int rank, int count) {
  float low = values.least(), high = values.greatest();
  int fewer = 0, upto = count;  // values below low, and below high
  for (int guess = 1;; ++guess) {
    float middle = low + (rank - fewer + 0.5f) / (upto - fewer) * (high - low);
    if (guess % 3 == 0 || !(middle > low && middle < high)) middle = half_way(low, high);
    if (!(middle > low && middle < high)) return values.below(high) <= rank ? high : low;
    const int below = values.below(middle);
    if (below == rank) return values.from(middle);
    if (below == rank + 1) return values.before(middle);
    if (below < rank) {
      low = middle;
      fewer = below;
    } else {
      high = middle;
      upto = below;
    }
  }
}

// Returns the median of `count` values, at least one; of an even number it is the mean of the middle two.
template <class Values>
BEATSCAN_INLINE_BOTH float median_of(const Values& values, int count) {
  const float lower = value_of_rank(values, (count - 1) / 2, count);
  const bool same = count % 2 == 1 || values.upto(lower) > count / 2;
  return (lower + (same ? lower : values.above(lower))) * 0.5f;
}

}  // namespace beatscan::waves
