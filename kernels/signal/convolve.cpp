#include "kernels/signal/convolve.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/runtime/each_width.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/signal/direct_sums.h"

namespace beatscan {
namespace {

constexpr std::int64_t kTile = 1024;  // output samples whose sums stay in the first-level cache

}  // namespace

void check_convolution(std::int64_t n, std::int64_t width, const ConvolveOptions& options) {
  BEATSCAN_EXPECTS(width >= 1 && width <= kMaxTaps, "convolve: bad number of taps");
  BEATSCAN_EXPECTS(n >= 1 && (n >= width || options.beyond != Beyond::other_end), "convolve: fewer samples than taps");
  BEATSCAN_EXPECTS(0 <= options.lead && options.lead < width, "convolve: bad lead");
}

void check_part(const SignalPart& signal, Stretch reads, const ConvolveOptions& options, Stretch wanted) {
  BEATSCAN_EXPECTS(0 <= wanted.first && wanted.first <= wanted.last && wanted.last <= signal.size,
                   "convolve_part: not a stretch of the signal");
  BEATSCAN_EXPECTS(options.beyond != Beyond::other_end || wanted.size() == signal.size,
                   "convolve_part: the other end is not there");
  BEATSCAN_EXPECTS(signal.first <= reads.first && reads.last <= signal.first + std::ssize(signal.values),
                   "convolve_part: the part lacks samples that are needed");
}

Stretch convolve_reads(const Cpu&, std::int64_t n, std::int64_t taps, const ConvolveOptions& options, Stretch wanted) {
  if (options.beyond == Beyond::other_end) return {0, n};
  const auto inside = [&](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, n); };
  // The value at an end of the signal may also stand for what lies beyond it, so it is always read.
  return {std::min(inside(wanted.first + options.lead - (taps - 1)), n - 1),
          std::max<std::int64_t>(inside(wanted.last + options.lead), 1)};
}

// The function is compiled once for each vector width.
BEATSCAN_EACH_WIDTH("default", "avx2", "avx512f")
void direct_sums(const float* x, const double* taps, std::int64_t width, double* sums, std::int64_t n) {
  std::fill_n(sums, n, 0.0);
  for (std::int64_t j = 0; j < width; ++j)
    for (std::int64_t i = 0; i < n; ++i) sums[i] += taps[j] * static_cast<double>(x[i - j]);
}

float sample_at(const SignalPart& signal, std::int64_t i, Beyond beyond) {
  const std::int64_t n = signal.size;
  if (i < 0 || i >= n) {
    if (beyond == Beyond::zeros) return 0;
    i = beyond == Beyond::last_value ? std::clamp<std::int64_t>(i, 0, n - 1) : (i + n) % n;
  }
  return signal.values[i - signal.first];
}

namespace {

template <class Real>
Buffer<Real, Cpu> response_in(Cpu& cpu, const SignalPart& signal, std::span<const double> taps,
                              const ConvolveOptions& options, Stretch wanted) {
  const auto width = std::ssize(taps);
  check_convolution(signal.size, width, options);
  check_part(signal, convolve_reads(cpu, signal.size, width, options, wanted), options, wanted);
  Buffer<Real, Cpu> response(cpu, wanted.size());
  parallel_for(cpu, wanted.size(), kTile, [&](std::int64_t first, std::int64_t last) {
    std::array<double, kTile> sums;
    std::vector<float> extended(kTile + width);
    for (std::int64_t begin = first; begin < last; begin += kTile) {
      const std::int64_t size = std::min(kTile, last - begin);
      const std::int64_t source =
          wanted.first + begin + options.lead - (width - 1);  // first sample that the tile needs
      const float* x = signal.values.data() + (source - signal.first);
      if (source < 0 || source + size + width - 1 > signal.size) {
        for (std::int64_t i = 0; i < size + width - 1; ++i) extended[i] = sample_at(signal, source + i, options.beyond);
        x = extended.data();
      }
      direct_sums(x + width - 1, taps.data(), width, sums.data(), size);
      std::transform(sums.begin(), sums.begin() + size, response.data() + begin,
                     [&](double sum) { return static_cast<Real>(options.rectify ? std::abs(sum) : sum); });
    }
  });
  return response;
}

}  // namespace

template <class Real>
Buffer<Real, Cpu> convolve(Cpu& cpu, std::span<const float> signal, std::span<const double> taps,
                           const ConvolveOptions& options) {
  return response_in<Real>(cpu, whole(signal), taps, options, {0, std::ssize(signal)});
}

Buffer<float, Cpu> convolve_part(Cpu& cpu, const SignalPart& signal, std::span<const double> taps,
                                 const ConvolveOptions& options, Stretch wanted) {
  return response_in<float>(cpu, signal, taps, options, wanted);
}

template Buffer<float, Cpu> convolve(Cpu&, std::span<const float>, std::span<const double>, const ConvolveOptions&);
template Buffer<double, Cpu> convolve(Cpu&, std::span<const float>, std::span<const double>, const ConvolveOptions&);

}  // namespace beatscan
