// kernels/runtime/exponential.h — exponentials of vectors of the CPU.
#pragma once

#include "kernels/runtime/vectors.h"

namespace beatscan {

// Returns e^x to 1.2e-7; beyond |x| < 87 that of the nearest limit. It is 2^n e^r with |r| <= ln 2 / 2, with the
// coefficients of Cephes' expf.
template <int W>
BEATSCAN_INLINE Floats<W> exponential(Floats<W> x) {
  constexpr float kLimit = 87.0f, kRound = 12582912.0f;  // to add 1.5 * 2^23 rounds to a whole number
  x = x > kLimit ? Floats<W>{} + kLimit : x < -kLimit ? Floats<W>{} - kLimit : x;
  const Floats<W> n = (x * 1.44269504f + kRound) - kRound;
  const Floats<W> r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  Floats<W> p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + (r + 1.0f);
  return p * (Floats<W>)((__builtin_convertvector(n, Ints<W>) + 127) << 23);
}

}  // namespace beatscan
