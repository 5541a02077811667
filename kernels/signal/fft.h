// kernels/signal/fft.h — many short real transforms in place by cuFFT, with the work area from the pool.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"

namespace beatscan {

// Loads cuFFT, as the first transform would. Throws ErrorKind::device if it cannot be loaded.
void load_cufft();

// Transforms `count` blocks, from reals to a spectrum or, with `inverse`, back. Transforms are not scaled:
// inverse(forward(x)) = n x. Real is float or double. An odd n or a wrong shape throws ErrorKind::internal.
//   blocks  [count][n + 2]  n reals and room for two more; or a spectrum of n / 2 + 1 complex numbers. n is even.
template <class Real>
void transform_blocks(Cuda&, std::span<Real> blocks, int n, int count, bool inverse);

}  // namespace beatscan
