#include "kernels/convolve.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/check.h"
#include "kernels/direct_sums.h"
#include "kernels/parallel.h"

namespace beatscan {
namespace {

constexpr std::int64_t kTile = 1024;  // output samples whose sums stay in the first-level cache

}  // namespace

void check_convolution(std::int64_t n, std::int64_t width, const ConvolveOptions& options) {
  BEATSCAN_EXPECTS(width >= 1 && width <= kMaxTaps, "convolve: bad number of taps");
  BEATSCAN_EXPECTS(n >= 1 && (n >= width || options.beyond != Beyond::other_end), "convolve: fewer samples than taps");
  BEATSCAN_EXPECTS(0 <= options.lead && options.lead < width, "convolve: bad lead");
}

// Compiled once for each vector width.
__attribute__((target_clones("default", "avx2", "avx512f"))) void direct_sums(const float* x, const double* taps,
                                                                              std::int64_t width, double* sums,
                                                                              std::int64_t n) {
  std::fill_n(sums, n, 0.0);
  for (std::int64_t j = 0; j < width; ++j)
    for (std::int64_t i = 0; i < n; ++i) sums[i] += taps[j] * static_cast<double>(x[i - j]);
}

float sample_at(std::span<const float> signal, std::int64_t i, Beyond beyond) {
  const auto n = std::ssize(signal);
  if (i >= 0 && i < n) return signal[i];
  if (beyond == Beyond::zeros) return 0;
  return signal[beyond == Beyond::last_value ? std::clamp<std::int64_t>(i, 0, n - 1) : (i + n) % n];
}

template <class Real>
Buffer<Real, Cpu> convolve(Cpu& cpu, std::span<const float> signal, std::span<const double> taps,
                           const ConvolveOptions& options) {
  const auto n = std::ssize(signal), width = std::ssize(taps);
  check_convolution(n, width, options);
  Buffer<Real, Cpu> response(cpu, n);
  parallel_for(cpu, n, kTile, [&](std::int64_t first, std::int64_t last) {
    std::array<double, kTile> sums;
    std::vector<float> extended(kTile + width);
    for (std::int64_t begin = first; begin < last; begin += kTile) {
      const std::int64_t size = std::min(kTile, last - begin);
      const std::int64_t source = begin + options.lead - (width - 1);  // first sample that the tile needs
      const float* x = signal.data() + source;
      if (source < 0 || source + size + width - 1 > n) {
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

template Buffer<float, Cpu> convolve(Cpu&, std::span<const float>, std::span<const double>, const ConvolveOptions&);
template Buffer<double, Cpu> convolve(Cpu&, std::span<const float>, std::span<const double>, const ConvolveOptions&);

}  // namespace beatscan
