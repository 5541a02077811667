#include "kernels/convolve.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/check.h"
#include "kernels/parallel.h"

namespace beatscan {
namespace {

constexpr std::int64_t kTile = 1024;  // output samples whose sums stay in the first-level cache

// sums[i] = sum over j of taps[j] * x[i - j]; x must have taps - 1 samples before it. Compiled once for each vector
// width.
__attribute__((target_clones("default", "avx2", "avx512f"))) void accumulate(const float* x, const double* taps,
                                                                             std::int64_t width, double* sums,
                                                                             std::int64_t n) {
  std::fill_n(sums, n, 0.0);
  for (std::int64_t j = 0; j < width; ++j)
    for (std::int64_t i = 0; i < n; ++i) sums[i] += taps[j] * static_cast<double>(x[i - j]);
}

}  // namespace

std::vector<double> ricker_wavelet(int width) {
  std::vector<double> wavelet(width);
  for (int i = 0; i < width; ++i) {
    const double t = width == 1 ? 0.0 : -3.0 + 6.0 * i / (width - 1);
    wavelet[i] = std::exp(-0.5 * t * t) * (1.0 - t * t) * 2.0 / std::sqrt(static_cast<double>(width));
  }
  return wavelet;
}

template <class Real>
Buffer<Real, Cpu> convolve_circular(Cpu& cpu, std::span<const float> signal, std::span<const double> taps, int lead) {
  const auto n = std::ssize(signal), width = std::ssize(taps);
  BEATSCAN_EXPECTS(width >= 1 && width <= kMaxTaps && n >= width, "convolve_circular: bad number of taps");
  BEATSCAN_EXPECTS(0 <= lead && lead < width, "convolve_circular: bad lead");
  Buffer<Real, Cpu> response(cpu, n);
  parallel_for(cpu, n, kTile, [&](std::int64_t first, std::int64_t last) {
    std::array<double, kTile> sums;
    std::vector<float> wrapped(kTile + width);
    for (std::int64_t begin = first; begin < last; begin += kTile) {
      const std::int64_t size = std::min(kTile, last - begin);
      const std::int64_t source = begin + lead - (width - 1);  // first sample that the tile needs
      const float* x = signal.data() + source;
      if (source < 0 || source + size + width - 1 > n) {
        for (std::int64_t i = 0; i < size + width - 1; ++i) wrapped[i] = signal[(source + i + n) % n];
        x = wrapped.data();
      }
      accumulate(x + width - 1, taps.data(), width, sums.data(), size);
      std::transform(sums.begin(), sums.begin() + size, response.data() + begin,
                     [](double sum) { return static_cast<Real>(sum); });
    }
  });
  return response;
}

template Buffer<float, Cpu> convolve_circular(Cpu&, std::span<const float>, std::span<const double>, int);
template Buffer<double, Cpu> convolve_circular(Cpu&, std::span<const float>, std::span<const double>, int);

}  // namespace beatscan
