// kernels/signal/fft.h — many short real transforms in place by cuFFT, with the work area out of the pool.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"

namespace beatscan {

// blocks: `count` blocks of n reals followed by room for the spectrum's last value, so block b begins at b * (n + 2),
// as reals and, transformed, as [n / 2 + 1] complex numbers; n even. Not scaled: inverse(forward(x)) = n x.
template <class Real>
void transform_blocks(Cuda&, std::span<Real> blocks, int n, int count, bool inverse);

}  // namespace beatscan
