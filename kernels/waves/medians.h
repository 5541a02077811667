// kernels/waves/medians.h — medians of a few and of many values, for both back ends.
//
// The middle two of 17 values come from comparisons in a fixed order. Batcher's merge exchange (Knuth, The Art of
// Computer Programming 3, 5.2.2, algorithm M) sorts 17 values. Of it those comparisons are kept which the places 7 and
// 8 depend on.
//
// The median of many values comes from counting how many are below a guess. Values is a class with these functions, in
// which NaN does not count:
//   below(x), upto(x)                how many values are < x, and <= x
//   least(), greatest()              of all values
//   from(x), above(x), before(x)     the least value >= x, the least one > x, and the greatest one < x
#pragma once

#include <utility>

#include "kernels/waves/local_averages.h"

namespace beatscan::waves {

// Puts the smaller of two values at `low` and the larger at `high`.
struct Comparison {
  int low, high;
};
struct MedianNetwork {
  Comparison comparisons[96];
  int count;
};

constexpr MedianNetwork median_network() {
  MedianNetwork all{}, kept{};
  for (int p = 1; p < kNeighbours; p *= 2)
    for (int k = p; k >= 1; k /= 2)
      for (int j = k % p; j <= kNeighbours - 1 - k; j += 2 * k)
        for (int i = 0; i < k && i < kNeighbours - j - k; ++i)
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) all.comparisons[all.count++] = {i + j, i + j + k};
  bool needed[kNeighbours] = {};
  needed[kAverageReach - 1] = needed[kAverageReach] = true;
  for (int i = all.count - 1; i >= 0; --i) {
    const Comparison comparison = all.comparisons[i];
    if (!needed[comparison.low] && !needed[comparison.high]) continue;
    needed[comparison.low] = needed[comparison.high] = true;
    kept.comparisons[kept.count++] = comparison;
  }
  for (int i = 0; i < kept.count / 2; ++i) {
    const Comparison other = kept.comparisons[i];
    kept.comparisons[i] = kept.comparisons[kept.count - 1 - i];
    kept.comparisons[kept.count - 1 - i] = other;
  }
  return kept;
}
inline constexpr MedianNetwork kMedianNetwork = median_network();

template <int I, class Value>
BEATSCAN_INLINE_BOTH void compare(Value* values) {
  constexpr Comparison comparison = kMedianNetwork.comparisons[I];
  const Value a = values[comparison.low], b = values[comparison.high];
  values[comparison.low] = a < b ? a : b;
  values[comparison.high] = a > b ? a : b;
}

template <class Value, int... I>
BEATSCAN_INLINE_BOTH void compare_all(Value* values, std::integer_sequence<int, I...>) {
  (compare<I>(values), ...);
}

// Makes values[7] and values[8] what they are in ascending order.
template <class Value>
BEATSCAN_INLINE_BOTH void select_middle(Value* values) {
  compare_all(values, std::make_integer_sequence<int, kMedianNetwork.count>{});
}

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

// Takes the median off a window of 320 values on the CPU, none of which is NaN.
void take_off_median(float* window);

}  // namespace beatscan::waves
