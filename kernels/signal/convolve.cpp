#include "kernels/signal/convolve.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/each_width.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/direct_sums.h"
#include "kernels/signal/wavelets.h"

namespace beatscan {

void check_convolution(const SignalPart& signal, std::int64_t taps, const ConvolveOptions& options, Stretch wanted) {
  BEATSCAN_EXPECTS(taps >= 1 && taps <= kMaxTaps, "convolve: bad number of taps");
  BEATSCAN_EXPECTS(signal.size >= 1, "convolve: no samples");
  BEATSCAN_EXPECTS(0 <= options.lead && options.lead < taps, "convolve: bad lead");
  BEATSCAN_EXPECTS(0 <= wanted.first && wanted.first <= wanted.last && wanted.last <= signal.size,
                   "convolve: not a stretch of the signal");
  const Stretch reads = convolve_reads(signal.size, taps, options, wanted), held = stretch_of(signal);
  BEATSCAN_EXPECTS(0 <= held.first && held.last <= signal.size, "convolve: the part is longer than the signal");
  BEATSCAN_EXPECTS(held.first <= reads.first && reads.last <= held.last,
                   "convolve: the part lacks samples that are needed");
}

Stretch convolve_reads(std::int64_t n, std::int64_t taps, const ConvolveOptions& options, Stretch wanted) {
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
  const std::int64_t inside = std::clamp<std::int64_t>(i, 0, signal.size - 1);
  return i == inside || beyond == Beyond::last_value ? signal.values[inside - signal.first] : 0.0f;
}

Buffer<float, Cpu> convolve(Cpu& cpu, const SignalPart& signal, std::span<const double> taps,
                            const ConvolveOptions& options, Stretch wanted) {
  check_convolution(signal, std::ssize(taps), options, wanted);
  const auto at = [&](std::int64_t i) { return sample_at(signal, i, options.beyond); };
  Buffer<float, Cpu> response(cpu, wanted.size());
  direct_tiles(cpu, signal, taps, options.lead, wanted, at, [&](std::int64_t first, std::span<const double> sums) {
    std::ranges::transform(sums, response.data() + (first - wanted.first),
                           [&](double sum) { return static_cast<float>(options.rectify ? std::abs(sum) : sum); });
  });
  return response;
}

}  // namespace beatscan
