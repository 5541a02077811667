// kernels/runtime/vectors.h — vectors of the CPU, and code with them that is compiled for each kind of processor.
//
// A Body is a struct with `template <int W> BEATSCAN_INLINE static void run(...)`, which works with vectors of W
// floats. OnProcessor<Body>::run(...) calls it with the widest vectors of the processor. The width must not change the
// bits. Code that is compiled to fuse products and sums has one rounding for both on all processors but x86-64 ones
// from before 2013, which lack the instruction.
#pragma once

#include <utility>

// Inlines a function into callers that are compiled for one kind of processor each.
#define BEATSCAN_INLINE inline __attribute__((always_inline))

namespace beatscan {

// Returns the widest vectors that this processor computes with: 512 (AVX-512), 256 (AVX2 with FMA) or 128 bits. The
// environment variable BEATSCAN_VECTOR_BITS lowers the number, to measure what another processor would take.
int vector_bits();

template <int W>
struct LanesOf;
template <>
struct LanesOf<4> {
  using Floats = float __attribute__((vector_size(16)));
  using Ints = int __attribute__((vector_size(16)));
  using Doubles = double __attribute__((vector_size(16)));
};
template <>
struct LanesOf<8> {
  using Floats = float __attribute__((vector_size(32)));
  using Ints = int __attribute__((vector_size(32)));
  using Doubles = double __attribute__((vector_size(32)));
};
template <>
struct LanesOf<16> {
  using Floats = float __attribute__((vector_size(64)));
  using Ints = int __attribute__((vector_size(64)));
  using Doubles = double __attribute__((vector_size(64)));
};
template <int W>
using Floats = typename LanesOf<W>::Floats;
template <int W>
using Ints = typename LanesOf<W>::Ints;
template <int W>
using Doubles = typename LanesOf<W>::Doubles;  // W / 2 of them

template <class Body>
struct OnProcessor {
  template <class... Values>
  static void run(Values... values) {
#ifdef __x86_64__
    static const int bits = vector_bits();
    if (bits >= 512) return on_avx512(values...);
    if (bits >= 256) return on_avx2(values...);
    static const bool fuses = __builtin_cpu_supports("fma");
    if (fuses) return on_fma(values...);
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
  __attribute__((noinline, target("fma"))) static void on_fma(Values... values) {
    Body::template run<4>(values...);
  }
  template <class... Values>
  __attribute__((noinline, target("avx2,fma"))) static void on_avx2(Values... values) {
    Body::template run<8>(values...);
  }
  template <class... Values>
  __attribute__((noinline, target("avx512f,fma"))) static void on_avx512(Values... values) {
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
template <int W>
BEATSCAN_INLINE Doubles<W> load(const double* from) {
  Doubles<W> vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}
template <int W>
BEATSCAN_INLINE void store(double* to, Doubles<W> vector) {
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

// Exchanges blocks of Size x Size values next to the diagonal, then smaller ones within.
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

}  // namespace beatscan
