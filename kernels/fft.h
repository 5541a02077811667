// kernels/fft.h — real transforms in place by cuFFT, with the work area out of the pool.
#pragma once

#include <cstdint>

#include "kernels/buffer.h"

namespace beatscan {

// data: n reals followed by room for the spectrum, [n / 2 + 1] complex; n even. Not scaled: inverse(forward(x)) = n x.
// The work area is freed on return, for the next work in stream order.
template <class Real>
void transform_in_place(Cuda&, Buffer<Real, Cuda>& data, std::int64_t n, bool inverse);

}  // namespace beatscan
