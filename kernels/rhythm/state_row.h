// kernels/rhythm/state_row.h — a value of each state in the CPU's vectors. The width does not change the bits.
#pragma once

#include <utility>

#include "kernels/rhythm/rhythm.h"
#include "kernels/runtime/vectors.h"

namespace beatscan {

// kMostStates floats, in vectors of W.
template <int W>
struct StateRow {
  static constexpr int kVectors = kMostStates / W;
  Floats<W> at[kVectors];
};

template <int W>
BEATSCAN_INLINE StateRow<W> load_row(const float* from) {
  StateRow<W> row;
  for (int v = 0; v < StateRow<W>::kVectors; ++v) row.at[v] = load<W>(from + v * W);
  return row;
}
template <int W>
BEATSCAN_INLINE void store_row(const StateRow<W>& row, float* to) {
  for (int v = 0; v < StateRow<W>::kVectors; ++v) store<W>(to + v * W, row.at[v]);
}

struct AddValues {
  template <class Value>
  BEATSCAN_INLINE static Value of(Value a, Value b) {
    return a + b;
  }
};
struct TakeGreater {
  template <class Value>
  BEATSCAN_INLINE static Value of(Value a, Value b) {
    return a > b ? a : b;
  }
};

// Folds 16 values to one: those eight places apart first, then those four, two and one places apart.
template <class Fold, int W>
BEATSCAN_INLINE float folded(const StateRow<W>& row) {
  Floats<4> four;
  if constexpr (W == 4) {
    four = Fold::of(Fold::of(row.at[0], row.at[2]), Fold::of(row.at[1], row.at[3]));
  } else {
    Floats<8> eight;
    if constexpr (W == 8)
      eight = Fold::of(row.at[0], row.at[1]);
    else
      eight = Fold::of(first_half(row.at[0]), second_half(row.at[0]));
    four = Fold::of(first_half(eight), second_half(eight));
  }
  const auto two = Fold::of(first_half(four), second_half(four));
  return Fold::of(two[0], two[1]);
}
template <int W>
BEATSCAN_INLINE float sum_of_row(const StateRow<W>& row) {
  return folded<AddValues>(row);
}
template <int W>
BEATSCAN_INLINE float greatest(const StateRow<W>& row) {
  return folded<TakeGreater>(row);
}

// Two vectors of doubles for one of floats.
template <int W>
struct TwoDoubles {
  Doubles<W> low, high;
};
template <int W, class Half, int... Lane>
BEATSCAN_INLINE Floats<W> joined(Half low, Half high, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(low, high, Lane...);
}
template <int W>
BEATSCAN_INLINE Floats<W> rounded(const TwoDoubles<W>& value) {
  using Half = decltype(first_half(Floats<W>{}));
  return joined<W>(__builtin_convertvector(value.low, Half), __builtin_convertvector(value.high, Half),
                   std::make_integer_sequence<int, W>{});
}
template <int W>
BEATSCAN_INLINE TwoDoubles<W> widened(Floats<W> value) {
  return {__builtin_convertvector(first_half(value), Doubles<W>),
          __builtin_convertvector(second_half(value), Doubles<W>)};
}
template <int W>
BEATSCAN_INLINE TwoDoubles<W> load_doubles(const double* from) {
  return {load<W>(from), load<W>(from + W / 2)};
}

}  // namespace beatscan
