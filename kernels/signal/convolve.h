// kernels/signal/convolve.h — convolution of a long signal with a short kernel.
//   response[i] = sum over j of taps[j] * signal[i + lead - j]
// lead = 0 is the textbook convolution. lead = (taps - 1) / 2 centres a symmetric kernel of odd length, so that a peak
// of the signal and the peak of its response share an index.
//
// The sum is computed by its definition, in float64 and in the order of j, each product rounded before it is added: so
// both back ends give the same bits. For up to a few hundred taps this is faster than any transform. A wrong shape or
// option throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

// The values beyond a signal's ends: the value at the end, or zeros.
enum class Beyond { last_value, zeros };

struct ConvolveOptions {
  int lead = 0;  // 0 <= lead < taps
  Beyond beyond = Beyond::last_value;
  bool rectify = false;  // gives the absolute value of the response
};

// Returns the stretch `wanted` of the response. The part must hold the samples that convolve_reads() names.
//   signal   part of a signal of N >= 1 samples, finite
//   taps     [W] on the host, 1 <= W <= kMaxTaps (wavelets.h)
//   returns  [wanted.size()]
Buffer<float, Cpu> convolve(Cpu&, const SignalPart& signal, std::span<const double> taps,
                            const ConvolveOptions& options, Stretch wanted);
Buffer<float, Cuda> convolve(Cuda&, const SignalPart& signal, std::span<const double> taps,
                             const ConvolveOptions& options, Stretch wanted);

// Returns the whole response [N].
template <class Context>
Buffer<float, Context> convolve(Context& context, std::span<const float> signal, std::span<const double> taps,
                                const ConvolveOptions& options) {
  return convolve(context, whole(signal), taps, options, {0, static_cast<std::int64_t>(signal.size())});
}

// Returns the samples that convolve() reads of a signal of n samples.
Stretch convolve_reads(std::int64_t n, std::int64_t taps, const ConvolveOptions& options, Stretch wanted);

// Makes the checks that both back ends share.
void check_convolution(const SignalPart& signal, std::int64_t taps, const ConvolveOptions& options, Stretch wanted);

}  // namespace beatscan
