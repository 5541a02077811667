// kernels/convolve.h — circular convolution of a long signal with a short kernel.
//   response[i] = sum over j of taps[j] * signal[(i + lead - j) mod N]
// lead = 0 is the textbook convolution; lead = (taps - 1) / 2 centres an odd symmetric kernel, so that a peak of the
// signal and that of its response share an index.
//
// Cpu sums directly (a few dozen multiply-adds a sample beat any transform), in float64. Cuda transforms: the signal is
// extended at one end by its other end so that the length is a product of 2, 3, 5 and 7, which changes nothing in the
// N values kept and keeps cuFFT fast and its work area small for every N.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/buffer.h"

namespace beatscan {

// The Ricker ("Mexican hat") wavelet of the published pipeline: t = linspace(-3, 3, width), exp(-t^2/2) (1 - t^2) 2 /
// sqrt(width).
std::vector<double> ricker_wavelet(int width);

// The smallest even n' >= n without a prime factor above 7.
std::int64_t next_fast_length(std::int64_t n);

// N values that lie `offset` elements into a buffer which the transform needed longer.
template <class Real, class Context>
struct Response {
  Buffer<Real, Context> storage;
  std::int64_t offset = 0;
  std::int64_t size = 0;

  std::span<const Real> span() const { return storage.span().subspan(offset, size); }
};

inline constexpr int kMaxTaps = 4096;

//   signal  [N] finite, N >= taps >= 1
//   taps    [W] on the host, W <= kMaxTaps
//   lead    0 <= lead < W
// Real (float or double) is the type of the transform and of the response.
template <class Real>
Response<Real, Cpu> convolve_circular(Cpu&, std::span<const float> signal, std::span<const double> taps, int lead);
template <class Real>
Response<Real, Cuda> convolve_circular(Cuda&, std::span<const float> signal, std::span<const double> taps, int lead);

}  // namespace beatscan
