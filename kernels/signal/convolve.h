// kernels/signal/convolve.h — convolution of a long signal with a short kernel.
//   response[i] = sum over j of taps[j] * signal[i + lead - j]
// lead = 0 is the textbook convolution; lead = (taps - 1) / 2 centres an odd symmetric kernel, so that a peak of the
// signal and that of its response share an index.
//
// Cpu sums directly (a few dozen multiply-adds a sample beat any transform), in float64. Cuda transforms short blocks
// that overlap by taps - 1 samples and keeps of each what the block's own circularity has not touched (overlap-save;
// Press et al., Numerical Recipes, 13.1): a quarter of the time of one long transform, and memory for some blocks only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

inline constexpr int kMaxTaps = 4096;

// What lies beyond a signal's ends: its other end, the value at the end, or zeros.
enum class Beyond { other_end, last_value, zeros };

struct ConvolveOptions {
  int lead = 0;  // 0 <= lead < taps
  Beyond beyond = Beyond::other_end;
  bool rectify = false;  // the response's absolute value instead of it
};

//   signal  [N] finite, N >= 1; N >= taps where the other end lies beyond
//   taps    [W] on the host, 1 <= W <= kMaxTaps
//   returns the response [N]; Real (float or double) is its type and that of the transforms
template <class Real>
Buffer<Real, Cpu> convolve(Cpu&, std::span<const float> signal, std::span<const double> taps,
                           const ConvolveOptions& options);
template <class Real>
Buffer<Real, Cuda> convolve(Cuda&, std::span<const float> signal, std::span<const double> taps,
                            const ConvolveOptions& options);

// The stretch `wanted` of the response, to the last bit as in that to the whole signal, of which the part has to hold
// what convolve_reads() says. Not with Beyond::other_end, unless all is wanted.
Buffer<float, Cpu> convolve_part(Cpu&, const SignalPart& signal, std::span<const double> taps,
                                 const ConvolveOptions& options, Stretch wanted);
Buffer<float, Cuda> convolve_part(Cuda&, const SignalPart& signal, std::span<const double> taps,
                                  const ConvolveOptions& options, Stretch wanted);
//   n  samples of the whole signal
Stretch convolve_reads(const Cpu&, std::int64_t n, std::int64_t taps, const ConvolveOptions& options, Stretch wanted);
Stretch convolve_reads(const Cuda&, std::int64_t n, std::int64_t taps, const ConvolveOptions& options, Stretch wanted);

// The checks that both back ends make.
void check_convolution(std::int64_t n, std::int64_t width, const ConvolveOptions& options);
void check_part(const SignalPart& signal, Stretch reads, const ConvolveOptions& options, Stretch wanted);

}  // namespace beatscan
