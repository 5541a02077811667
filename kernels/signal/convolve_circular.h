// kernels/signal/convolve_circular.h — many short real transforms in place by cuFFT, with the work area from the pool.
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

// Convolution of a long signal whose ends meet with a short kernel.
//   response[i] = sum over j of taps[j] * signal[(i + lead - j) mod N]
//
// Cpu computes the sum directly, in float64. Cuda transforms short blocks by cuFFT; they overlap by taps - 1 samples,
// and the outputs that a block's own circularity has changed are dropped (overlap-save; Press et al., Numerical
// Recipes, 13.1). This takes a quarter of the time of one long transform, and memory for a few blocks only.

// Returns the response [N]. Real (float or double) is the type of the response and of the transforms. A wrong shape
// throws ErrorKind::internal, and a cuFFT that cannot be loaded or fails ErrorKind::device.
//   signal  [N] finite, N >= W
//   taps    [W] on the host, 1 <= W <= kMaxTaps (convolve.h)
//   lead    0 <= lead < W, see convolve.h
template <class Real>
Buffer<Real, Cpu> convolve_circular(Cpu&, std::span<const float> signal, std::span<const double> taps, int lead);
template <class Real>
Buffer<Real, Cuda> convolve_circular(Cuda&, std::span<const float> signal, std::span<const double> taps, int lead);

// Makes the checks that both back ends share.
void check_circular(std::span<const float> signal, std::span<const double> taps, int lead);

}  // namespace beatscan
