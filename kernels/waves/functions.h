// kernels/waves/functions.h — asinh and the logistic function by the same arithmetic on both back ends.
//
// Math is OneFloat, or on the CPU SomeVectors<W> (vectors.h), whose Value is several vectors. The functions differ from
// exact ones by at most 2e-7 (the logistic function; a third of asinh up to 1e4). The GPU fuses products and sums, and
// has instructions for 1 / x and the reciprocal root, which changes the last bits.
#pragma once

#include "kernels/waves/net_layers.h"

namespace beatscan::waves {

struct OneFloat {
  using Value = float;
  using Bits = int;
#ifdef __CUDACC__
  __device__ static Bits bits_of(Value value) { return __float_as_int(value); }
  __device__ static Value value_of(Bits bits) { return __int_as_float(bits); }
  __device__ static Value converted(Bits number) { return static_cast<float>(number); }
  __device__ static Bits converted(Value whole) { return static_cast<int>(whole); }
  __device__ static Value reciprocal(Value value) { return __fdividef(1.0f, value); }  // to 2 in the last place
  __device__ static Value reciprocal_root(Value value) { return rsqrtf(value); }       // likewise
  __device__ static Value larger(Value a, float b) { return fmaxf(a, b); }
  __device__ static Value smaller(Value a, float b) { return fminf(a, b); }
#endif
};

// Returns e^x for |x| < 87: 2^n e^r with |r| <= ln 2 / 2, by a minimax polynomial. It is off by 9e-8 of itself, and by
// the rounding of n ln 2.
template <class Math>
BEATSCAN_INLINE_BOTH typename Math::Value exponential(typename Math::Value x) {
  using Value = typename Math::Value;
  constexpr float kRound = 12582912.0f;  // to add 1.5 * 2^23 rounds to a whole number
  const Value n = (x * 1.44269504f + kRound) - kRound;
  const Value r = x - n * 0.693147182f;
  Value p = r * 8.2902293652e-3f + 4.1898388416e-2f;
  p = p * r + 1.6667640209e-1f;
  p = p * r + 4.9999144673e-1f;
  p = p * r + 9.9999970198e-1f;
  p = p * r + 1.0f;
  return p * Math::value_of((Math::converted(n) + 127) << 23);
}

// Returns ln x for x >= 1, with the coefficients of Cephes' logf.
template <class Math>
BEATSCAN_INLINE_BOTH typename Math::Value logarithm(typename Math::Value x) {
  using Value = typename Math::Value;
  const auto bits = Math::bits_of(x) - 0x3f3504f3;  // from the root of a half on
  const Value e = Math::converted(bits >> 23);
  const Value f = Math::value_of((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
  Value p = f * 7.0376836292e-2f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  p = p * f + 3.3333331174e-1f;
  const Value z = f * f;
  p = (p * f) * z - e * 2.12194440e-4f;
  return (f + (p - 0.5f * z)) + e * 0.693359375f;
}

// Returns asinh(x); beyond 1e15, and for NaN, that of 1e15.
template <class Math>
BEATSCAN_INLINE_BOTH typename Math::Value inverse_sinh(typename Math::Value x) {
  const auto bits = Math::bits_of(x);
  const typename Math::Value a = Math::smaller(Math::value_of(bits & 0x7fffffff), 1e15f);
  const typename Math::Value squares = a * a + 1.0f;
  const typename Math::Value y = logarithm<Math>(a + squares * Math::reciprocal_root(squares));
  return Math::value_of(Math::bits_of(y) | (bits & (-0x7fffffff - 1)));
}

// Returns 1 / (1 + e^-x).
template <class Math>
BEATSCAN_INLINE_BOTH typename Math::Value logistic(typename Math::Value x) {
  const typename Math::Value y = Math::smaller(Math::larger(0.0f - x, -60.0f), 60.0f);
  return Math::reciprocal(exponential<Math>(y) + 1.0f);
}

}  // namespace beatscan::waves
