// kernels/quality/eight.h — eight floats side by side: a vector of the CPU, and registers of a GPU's thread. Sums
// over values have the same order on both: eight partial sums, which are then added in pairs.
#pragma once

#include "kernels/runtime/portable.h"
#ifndef __CUDACC__
#include "kernels/runtime/vectors.h"
#endif

namespace beatscan::quality {

#ifdef __CUDACC__

struct Eight {
  float at[8];
  BEATSCAN_INLINE_BOTH float operator[](int i) const { return at[i]; }
};
#define BEATSCAN_EIGHT(op)                                                 \
  BEATSCAN_INLINE_BOTH Eight operator op(const Eight& a, const Eight& b) { \
    Eight c;                                                               \
    for (int i = 0; i < 8; ++i) c.at[i] = a.at[i] op b.at[i];              \
    return c;                                                              \
  }
BEATSCAN_EIGHT(+)
BEATSCAN_EIGHT(-)
BEATSCAN_EIGHT(*)
#undef BEATSCAN_EIGHT
BEATSCAN_INLINE_BOTH Eight smaller(const Eight& a, const Eight& b) {
  Eight c;
  for (int i = 0; i < 8; ++i) c.at[i] = a.at[i] < b.at[i] ? a.at[i] : b.at[i];
  return c;
}
BEATSCAN_INLINE_BOTH Eight larger(const Eight& a, const Eight& b) {
  Eight c;
  for (int i = 0; i < 8; ++i) c.at[i] = a.at[i] > b.at[i] ? a.at[i] : b.at[i];
  return c;
}
BEATSCAN_INLINE_BOTH Eight load8(const float* from) {
  Eight c;
  for (int i = 0; i < 8; ++i) c.at[i] = from[i];
  return c;
}
BEATSCAN_INLINE_BOTH Eight eight(float value) { return {{value, value, value, value, value, value, value, value}}; }
BEATSCAN_INLINE_BOTH void store8(float* to, const Eight& c) {
  for (int i = 0; i < 8; ++i) to[i] = c.at[i];
}

BEATSCAN_INLINE_BOTH Eight size_of(const Eight& a) { return larger(a, eight(0) - a); }
BEATSCAN_INLINE_BOTH float sum_of(const Eight& a) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}
BEATSCAN_INLINE_BOTH float least_of(const Eight& a) {
  float least = a[0];
  for (int i = 1; i < 8; ++i) least = a[i] < least ? a[i] : least;
  return least;
}
BEATSCAN_INLINE_BOTH float most_of(const Eight& a) {
  float most = a[0];
  for (int i = 1; i < 8; ++i) most = a[i] > most ? a[i] : most;
  return most;
}

#else

using Eight = Floats<8>;
BEATSCAN_INLINE Eight smaller(Eight a, Eight b) { return a < b ? a : b; }
BEATSCAN_INLINE Eight larger(Eight a, Eight b) { return a > b ? a : b; }
BEATSCAN_INLINE Eight load8(const float* from) { return load<8>(from); }
BEATSCAN_INLINE Eight eight(float value) { return Eight{} + value; }
BEATSCAN_INLINE void store8(float* to, Eight c) { store<8>(to, c); }
BEATSCAN_INLINE Eight size_of(Eight a) { return (Eight)((Ints<8>)a & 0x7fffffff); }
BEATSCAN_INLINE float sum_of(Eight a) {
  const Floats<4> four = first_half(a) + second_half(a);
  const Floats<4> two = four + __builtin_shufflevector(four, four, 2, 3, 0, 1);
  return two[0] + two[1];
}
BEATSCAN_INLINE float most_of(Eight a) {
  const Floats<4> low = first_half(a), high = second_half(a), four = low > high ? low : high;
  const Floats<4> other = __builtin_shufflevector(four, four, 2, 3, 0, 1), two = four > other ? four : other;
  return two[0] > two[1] ? two[0] : two[1];
}
BEATSCAN_INLINE float least_of(Eight a) { return -most_of(-a); }

#endif

BEATSCAN_INLINE_BOTH float smaller(float a, float b) { return a < b ? a : b; }
BEATSCAN_INLINE_BOTH float larger(float a, float b) { return a > b ? a : b; }
BEATSCAN_INLINE_BOTH float size_of(float a) { return a < 0 ? -a : a; }

// Puts a few values into ascending order.
BEATSCAN_INLINE_BOTH void sort_few(float* values, int count) {
  for (int i = 1; i < count; ++i)
    for (int k = i; k > 0 && values[k] < values[k - 1]; --k) {
      const float next = values[k];
      values[k] = values[k - 1];
      values[k - 1] = next;
    }
}

}  // namespace beatscan::quality
