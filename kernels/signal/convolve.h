// kernels/signal/convolve.h — convolution of a long signal with a short kernel.
//   response[i] = sum over j of taps[j] * signal[i + lead - j]
// lead = 0 is the textbook convolution. lead = (taps - 1) / 2 centres a symmetric kernel of odd length, so that a peak
// of the signal and the peak of its response share an index.
//
// Cpu computes the sum directly, in float64: for a few dozen taps this is faster than any transform. Cuda transforms
// short blocks that overlap by taps - 1 samples and drops the outputs that a block's circularity has changed
// (overlap-save; Press et al., Numerical Recipes, 13.1). This takes a quarter of the time of one long transform, and
// memory for a few blocks only. A wrong shape or option throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

inline constexpr int kMaxTaps = 4096;

// Says what lies beyond a signal's ends: its other end, the value at the end, or zeros.
enum class Beyond { other_end, last_value, zeros };

struct ConvolveOptions {
  int lead = 0;  // 0 <= lead < taps
  Beyond beyond = Beyond::other_end;
  bool rectify = false;  // gives the absolute value of the response
};

// Returns the response to the whole signal.
//   signal  [N] finite, N >= 1; N >= W for Beyond::other_end
//   taps    [W] on the host, 1 <= W <= kMaxTaps
//   returns [N]; Real (float or double) is the type of the response and of the transforms
template <class Real>
Buffer<Real, Cpu> convolve(Cpu&, std::span<const float> signal, std::span<const double> taps,
                           const ConvolveOptions& options);
template <class Real>
Buffer<Real, Cuda> convolve(Cuda&, std::span<const float> signal, std::span<const double> taps,
                            const ConvolveOptions& options);

// Returns the stretch `wanted` of the response, with the same bits as in the response to the whole signal. The part
// must hold the samples that convolve_reads() names. Beyond::other_end is allowed only if the whole response is wanted.
Buffer<float, Cpu> convolve_part(Cpu&, const SignalPart& signal, std::span<const double> taps,
                                 const ConvolveOptions& options, Stretch wanted);
Buffer<float, Cuda> convolve_part(Cuda&, const SignalPart& signal, std::span<const double> taps,
                                  const ConvolveOptions& options, Stretch wanted);
// Returns the samples that convolve_part reads.
//   n  samples of the whole signal
Stretch convolve_reads(const Cpu&, std::int64_t n, std::int64_t taps, const ConvolveOptions& options, Stretch wanted);
Stretch convolve_reads(const Cuda&, std::int64_t n, std::int64_t taps, const ConvolveOptions& options, Stretch wanted);

// Make the checks that both back ends share.
void check_convolution(std::int64_t n, std::int64_t width, const ConvolveOptions& options);
void check_part(const SignalPart& signal, Stretch reads, const ConvolveOptions& options, Stretch wanted);

}  // namespace beatscan
