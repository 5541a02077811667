#include "kernels/signal/convolve.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "kernels/runtime/each_width.h"
#include "kernels/runtime/error.h"

namespace beatscan {

namespace {

constexpr double kCut = 1e-6;  // share of the largest value below which a wavelet ends

// Returns the 2 n + 1 values f(i), i = -n .. n.
template <class Function>
std::vector<double> symmetric(int n, Function&& f) {
  std::vector<double> values(2 * n + 1);
  for (int i = -n; i <= n; ++i) values[i + n] = f(static_cast<double>(i));
  return values;
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

std::vector<double> band_wavelet(double centre_hz, double sample_rate_hz) {
  const double s = 1 / (std::numbers::sqrt2 * std::numbers::pi * centre_hz);
  const auto value = [&](double i) {
    const double u = i / (sample_rate_hz * s);
    return (1 - u * u) * std::exp(-0.5 * u * u);
  };
  int n = static_cast<int>(std::ceil(8 * s * sample_rate_hz));
  while (n > 0 && std::abs(value(n)) < kCut) --n;
  auto wavelet = symmetric(n, value);
  double gain = 0;
  for (int i = -n; i <= n; ++i)
    gain += wavelet[i + n] * std::cos(2 * std::numbers::pi * centre_hz * i / sample_rate_hz);
  const double mean = std::accumulate(wavelet.begin(), wavelet.end(), 0.0) / static_cast<double>(wavelet.size());
  for (double& tap : wavelet) tap = (tap - mean) / gain;
  return wavelet;
}

std::vector<double> gaussian(double sigma_s, double sample_rate_hz) {
  const double sigma = sigma_s * sample_rate_hz;
  const int n = static_cast<int>(std::floor(std::sqrt(-2 * std::log(kCut)) * sigma));
  auto values = symmetric(n, [&](double i) { return std::exp(-0.5 * (i / sigma) * (i / sigma)); });
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& tap : values) tap /= sum;
  return values;
}

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
