// kernels/signal/convolve.h — makes taps for convolve.h and convolve_circular.h, on the host.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/parallel.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

inline constexpr int kMaxTaps = 4096;  // that convolutions take

// Returns the Ricker ("Mexican hat") wavelet of the published pipeline: exp(-t^2/2) (1 - t^2) 2 / sqrt(width) at
// t = linspace(-3, 3, width).
std::vector<double> ricker_wavelet(int width);

// Returns a Ricker wavelet as a band-pass filter around f0 = centre_hz: (1 - u^2) exp(-u^2/2) with u = t / s and
// s = 1 / (sqrt(2) pi f0). Its response to the frequency f is (f/f0)^2 exp(1 - (f/f0)^2), so its gain at f0 is 1. It
// has an odd number of taps, is cut where it stays below 1e-6 of its largest value, and has mean 0: a constant gives
// exactly 0.
std::vector<double> band_wavelet(double centre_hz, double sample_rate_hz);

// Returns a Gaussian of sum 1. It has an odd number of taps and is cut below 1e-6 of its largest value.
std::vector<double> gaussian(double sigma_s, double sample_rate_hz);

// Convolution of a long signal with a short kernel.
//   response[i] = sum over j of taps[j] * signal[i + lead - j]
// lead = 0 is the textbook convolution. lead = (taps - 1) / 2 centres a symmetric kernel of odd length, so that a peak
// of the signal and the peak of its response share an index.
//
// The sum is computed by its definition, in float64 and in the order of j, each product rounded before it is added: so
// both back ends give the same bits. For up to a few hundred taps this is faster than any transform. A wrong shape or
// option throws ErrorKind::internal.

// The values beyond a signal's ends: the value at the end, or zeros.
enum class Beyond { last_value, zeros };

struct ConvolveOptions {
  int lead = 0;  // 0 <= lead < taps
  Beyond beyond = Beyond::last_value;
  bool rectify = false;  // gives the absolute value of the response
};

// Returns the stretch `wanted` of the response. The part must hold the samples that convolve_reads() names.
//   signal   part of a signal of N >= 1 samples, finite
//   taps     [W] on the host, 1 <= W <= kMaxTaps
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

// sums[i] = sum over j of taps[j] * x[i - j], i = 0 .. n - 1, in float64 and in the order of j. There must be width - 1
// samples before x[0], and 1 <= width <= kMaxTaps.
void direct_sums(const float* x, const double* taps, std::int64_t width, double* sums, std::int64_t n);

// Returns sample i of the signal, which may lie beyond its ends.
float sample_at(const SignalPart& signal, std::int64_t i, Beyond beyond);

// Computes the outputs `wanted` of a convolution in tiles, see convolve.h. Calls at(i) for each sample i of a tile that
// reaches beyond the signal's ends, and take(first, sums) with the sums of outputs first, first + 1, ... on any thread.
template <class At, class Take>
void direct_tiles(const Cpu& cpu, const SignalPart& signal, std::span<const double> taps, int lead, Stretch wanted,
                  At&& at, Take&& take) {
  constexpr std::int64_t kTile = 1024;  // output samples whose sums stay in the first-level cache
  const std::int64_t width = std::ssize(taps);
  parallel_for(cpu, wanted.size(), kTile, [&](std::int64_t begin, std::int64_t end) {
    std::array<double, kTile> sums;
    std::vector<float> extended(kTile + width);
    for (; begin < end; begin += kTile) {
      const std::int64_t size = std::min(kTile, end - begin), first = wanted.first + begin;
      const std::int64_t source = first + lead - (width - 1);  // first sample that the tile needs
      const float* x = signal.values.data() + (source - signal.first);
      if (source < 0 || source + size + width - 1 > signal.size) {
        for (std::int64_t i = 0; i < size + width - 1; ++i) extended[i] = at(source + i);
        x = extended.data();
      }
      direct_sums(x + width - 1, taps.data(), width, sums.data(), size);
      take(first, std::span<const double>(sums).first(static_cast<std::size_t>(size)));
    }
  });
}

}  // namespace beatscan
