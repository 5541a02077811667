// kernels/waves/net_functions.h — the net's input and output: asinh, the triangles of the marks, and the logistic
// function, by the same arithmetic on both back ends.
//
// Math is OneFloat, or on the CPU SomeVectors<W>, whose Value is several vectors. The functions differ from
// exact ones by at most 2e-7 (the logistic function; a third of asinh up to 1e4). The GPU fuses products and sums, and
// has instructions for 1 / x and the reciprocal root, which changes the last bits.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/waves/wave_net.h"
#ifndef __CUDACC__
#include "kernels/runtime/vectors.h"
#endif

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

#ifndef __CUDACC__
// Some vectors side by side; an operation on them is one on each. Where each operation waits for the one before, a
// processor is busy with those on the other vectors meanwhile.
template <class Vector, int N>
struct Several {
  Vector at[N];
};
template <class Vector, int N>
BEATSCAN_INLINE const Vector& part_of(const Several<Vector, N>& several, int i) {
  return several.at[i];
}
template <class Scalar>
BEATSCAN_INLINE Scalar part_of(Scalar scalar, int) {
  return scalar;
}
#define BEATSCAN_SEVERAL(op)                                                                         \
  template <class Vector, int N, class Other>                                                        \
  BEATSCAN_INLINE Several<Vector, N> operator op(const Several<Vector, N>& a, const Other& b) {      \
    Several<Vector, N> result;                                                                       \
    for (int i = 0; i < N; ++i) result.at[i] = a.at[i] op part_of(b, i);                             \
    return result;                                                                                   \
  }                                                                                                  \
  template <class Vector, int N>                                                                     \
  BEATSCAN_INLINE Several<Vector, N> operator op(scalar_of<Vector> a, const Several<Vector, N>& b) { \
    Several<Vector, N> result;                                                                       \
    for (int i = 0; i < N; ++i) result.at[i] = a op b.at[i];                                         \
    return result;                                                                                   \
  }
template <class Vector>
using scalar_of = std::remove_cvref_t<decltype(std::declval<Vector>()[0])>;
BEATSCAN_SEVERAL(+)
BEATSCAN_SEVERAL(-)
BEATSCAN_SEVERAL(*)
BEATSCAN_SEVERAL(>>)
BEATSCAN_SEVERAL(<<)
BEATSCAN_SEVERAL(&)
BEATSCAN_SEVERAL(|)
#undef BEATSCAN_SEVERAL

// The same arithmetic on several vectors of W floats: as many as leave room for constants in the registers.
template <int W>
struct SomeVectors {
  static constexpr int kCount = W == 16 ? 4 : 2;
  using Value = Several<Floats<W>, kCount>;
  using Bits = Several<Ints<W>, kCount>;

  BEATSCAN_INLINE static Bits bits_of(const Value& value) {
    Bits bits;
    for (int i = 0; i < kCount; ++i) bits.at[i] = (Ints<W>)value.at[i];
    return bits;
  }
  BEATSCAN_INLINE static Value value_of(const Bits& bits) {
    Value value;
    for (int i = 0; i < kCount; ++i) value.at[i] = (Floats<W>)bits.at[i];
    return value;
  }
  BEATSCAN_INLINE static Value converted(const Bits& number) {
    Value value;
    for (int i = 0; i < kCount; ++i) value.at[i] = __builtin_convertvector(number.at[i], Floats<W>);
    return value;
  }
  BEATSCAN_INLINE static Bits converted(const Value& whole) {
    Bits bits;
    for (int i = 0; i < kCount; ++i) bits.at[i] = __builtin_convertvector(whole.at[i], Ints<W>);
    return bits;
  }
  // Return 1 / x for 1 <= x < 1e36, and 1 / root of x for 1 <= x < 1e31, to 2e-7 of themselves: three steps of Newton's
  // method, which take less time than a division.
  BEATSCAN_INLINE static Value reciprocal(const Value& x) {
    Value y = value_of(0x7ef311c7 - bits_of(x));
    y = y * (2.0f - x * y);
    y = y * (2.0f - x * y);
    return y * (2.0f - x * y);
  }
  BEATSCAN_INLINE static Value reciprocal_root(const Value& x) {
    const Value half = 0.5f * x;
    Value y = value_of(0x5f375a86 - (bits_of(x) >> 1));
    y = y * (1.5f - half * (y * y));
    y = y * (1.5f - half * (y * y));
    return y * (1.5f - half * (y * y));
  }
  BEATSCAN_INLINE static Value larger(const Value& a, float b) {
    Value value;
    const Floats<W> other = Floats<W>{} + b;
    for (int i = 0; i < kCount; ++i) value.at[i] = a.at[i] > other ? a.at[i] : other;
    return value;
  }
  BEATSCAN_INLINE static Value smaller(const Value& a, float b) {
    Value value;
    const Floats<W> other = Floats<W>{} + b;
    for (int i = 0; i < kCount; ++i) value.at[i] = a.at[i] < other ? a.at[i] : other;
    return value;
  }
};

#endif

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

inline constexpr float kHeightFactor = 10, kSignalFactor = 1.0f / 3, kMarkHalfWidth = 4;  // of the input

// A mark's place as a whole number and a rest, which together are more exact than one float.
struct MarkPlace {
  float whole, rest;
};
BEATSCAN_HOST_DEVICE inline MarkPlace place_of(double mark) {
  const double whole = floor(mark);
  return {static_cast<float>(whole), static_cast<float>(mark - whole)};
}

// Returns the height of a mark's triangle at value k.
template <class Value>
BEATSCAN_INLINE_BOTH Value mark_at(Value whole, Value rest, float k) {
  const Value none = Value{}, distance = (k - whole) - rest, negated = -distance;
  const Value height = 1.0f - (distance < 0.0f ? negated : distance) * (1 / kMarkHalfWidth);
  return height > 0.0f ? height : none;
}

// Makes the checks that both back ends share, and returns the number of windows.
std::int64_t check_wave_masks(std::span<const float> windows, std::span<const float> heights,
                              std::span<const Marks> marks, std::span<float> masks);

}  // namespace beatscan::waves
