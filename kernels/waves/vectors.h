// kernels/waves/vectors.h — code with vectors of the CPU, compiled for each kind of processor.
//
// A Body is a struct with `template <int W> BEATSCAN_INLINE static void run(...)`, which works with vectors of W
// floats. OnProcessor<Body>::run(...) calls it with the widest vectors of the processor. The width must not change the
// bits.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/vae/vae_group.h"
#include "kernels/vae/vae_lanes.h"

namespace beatscan::waves {

template <int W>
using Floats = typename vae::LanesOf<W>::Floats;
template <int W>
using Ints = typename vae::LanesOf<W>::Ints;

template <class Body>
struct OnProcessor {
  template <class... Values>
  static void run(Values... values) {
#ifdef __x86_64__
    static const int bits = vae::vector_bits();
    if (bits >= 512) return on_avx512(values...);
    if (bits >= 256) return on_avx2(values...);
#endif
    on_any(values...);
  }

 private:
  template <class... Values>
  __attribute__((noinline)) static void on_any(Values... values) {
    Body::template run<4>(values...);
  }
#ifdef __x86_64__
  template <class... Values>
  __attribute__((noinline, target("avx2"))) static void on_avx2(Values... values) {
    Body::template run<8>(values...);
  }
  template <class... Values>
  __attribute__((noinline, target("avx512f"))) static void on_avx512(Values... values) {
    Body::template run<16>(values...);
  }
#endif
};

// Loads from and stores to any address.
template <int W>
BEATSCAN_INLINE Floats<W> load(const float* from) {
  Floats<W> vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}
template <int W>
BEATSCAN_INLINE void store(float* to, Floats<W> vector) {
  __builtin_memcpy(to, &vector, sizeof vector);
}

// Returns the lanes from First on, as many as there are numbers.
template <int First, class Vector, int... Lane>
BEATSCAN_INLINE auto lanes_from(Vector vector, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(vector, vector, (First + Lane)...);
}
template <class Vector>
BEATSCAN_INLINE auto first_half(Vector vector) {
  return lanes_from<0>(vector, std::make_integer_sequence<int, sizeof(Vector) / 8>{});
}
template <class Vector>
BEATSCAN_INLINE auto second_half(Vector vector) {
  return lanes_from<sizeof(Vector) / 8>(vector, std::make_integer_sequence<int, sizeof(Vector) / 8>{});
}

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

// The arithmetic of functions.h on several vectors of W floats: as many as leave room for constants in the registers.
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

// Exchanges blocks of Size x Size values beside the diagonal, then smaller ones within.
template <int W, int Size, int... Lane>
BEATSCAN_INLINE void exchange(Floats<W>& a, Floats<W>& b, std::integer_sequence<int, Lane...>) {
  const Floats<W> low = __builtin_shufflevector(a, b, ((Lane & Size) ? W + Lane - Size : Lane)...);
  b = __builtin_shufflevector(a, b, ((Lane & Size) ? W + Lane : Lane + Size)...);
  a = low;
}
template <int W, int Size>
BEATSCAN_INLINE void transpose_blocks(Floats<W> (&rows)[W]) {
  if constexpr (Size > 0) {
#pragma GCC unroll 16
    for (int i = 0; i < W; ++i)
      if (!(i & Size)) exchange<W, Size>(rows[i], rows[i + Size], std::make_integer_sequence<int, W>{});
    transpose_blocks<W, Size / 2>(rows);
  }
}

// Exchanges rows and columns: rows[i][j] becomes rows[j][i].
template <int W>
BEATSCAN_INLINE void transpose(Floats<W> (&rows)[W]) {
  transpose_blocks<W, W / 2>(rows);
}

}  // namespace beatscan::waves
