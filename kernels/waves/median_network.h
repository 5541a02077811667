// kernels/waves/median_network.h — the middle two of 17 values by comparisons in a fixed order, for both back ends.
//
// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M) sorts 17 values. Of it those
// comparisons are kept which the places 7 and 8 depend on.
#pragma once

#include <utility>

#include "kernels/waves/local_averages.h"
#include "kernels/waves/net_layers.h"

namespace beatscan::waves {

inline constexpr int kNeighbours = 2 * kAverageReach + 1;

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

// How a beat's neighbours enter the network. Places without a neighbour hold -inf and inf, so many of each that the
// median of the others comes to the middle: at 8 for an odd number of neighbours, at 7 and 8 for an even one.
struct Neighbours {
  unsigned alike;  // bit j: beat i + j - 8 is a neighbour of beat i
  int count;

  BEATSCAN_HOST_DEVICE bool enough() const { return count >= kLeastAlike; }
  BEATSCAN_HOST_DEVICE bool even() const { return count % 2 == 0; }
  BEATSCAN_HOST_DEVICE int places_below() const { return (kNeighbours - count) / 2; }
};

// Makes the checks that both back ends of local_averages share, and returns how many windows there are.
std::int64_t check_local_averages(std::int64_t windows, std::int64_t labels, std::int64_t skip, std::int64_t averages,
                                  std::int64_t heights);

}  // namespace beatscan::waves
