// kernels/convolve.h — circular convolution of a long signal with a short kernel.
//   response[i] = sum over j of taps[j] * signal[(i + lead - j) mod N]
// lead = 0 is the textbook convolution; lead = (taps - 1) / 2 centres an odd symmetric kernel, so that a peak of the
// signal and that of its response share an index.
//
// Cpu sums directly (a few dozen multiply-adds a sample beat any transform), in float64. Cuda transforms short blocks that
// overlap by taps - 1 samples and keeps of each what the block's own circularity has not touched (overlap-save; Press et
// al., Numerical Recipes, 13.1): a quarter of the time of one long transform, and memory for some blocks only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/buffer.h"

namespace beatscan {

// The Ricker ("Mexican hat") wavelet of the published pipeline: t = linspace(-3, 3, width), exp(-t^2/2) (1 - t^2) 2 /
// sqrt(width).
std::vector<double> ricker_wavelet(int width);

inline constexpr int kMaxTaps = 4096;

//   signal  [N] finite, N >= taps >= 1
//   taps    [W] on the host, W <= kMaxTaps
//   lead    0 <= lead < W
//   returns the response [N]; Real (float or double) is its type and that of the transforms
template <class Real>
Buffer<Real, Cpu> convolve_circular(Cpu&, std::span<const float> signal, std::span<const double> taps, int lead);
template <class Real>
Buffer<Real, Cuda> convolve_circular(Cuda&, std::span<const float> signal, std::span<const double> taps, int lead);

}  // namespace beatscan
