#include "kernels/signal/convolve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "kernels/runtime/error.h"
#include "kernels/runtime/vectors.h"

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

namespace {

// The sums of vectors side by side stay in registers while the taps go by, and each sample is widened once for all
// taps.
struct DirectSums {
  static constexpr std::int64_t kOutputs = 1024;  // whose samples are widened together
  static constexpr int kMostAtOnce = 64;

  template <int W, int kVectors>
  BEATSCAN_INLINE static void some(const double* x, const double* taps, std::int64_t width, double* sums) {
    Doubles<W> total[kVectors] = {};
    for (std::int64_t j = 0; j < width; ++j)
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) total[v] += taps[j] * load<W>(x - j + v * (W / 2));
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) store<W>(sums + v * (W / 2), total[v]);
  }

  template <int W>
  BEATSCAN_INLINE static void run(const float* x, const double* taps, std::int64_t width, double* sums,
                                  std::int64_t n) {
    constexpr int kVectors = 8, kMany = kVectors * W / 2;
    static_assert(kMany <= kMostAtOnce);
    std::array<double, kMaxTaps + kOutputs + kMostAtOnce> wide;
    for (std::int64_t first = 0; first < n; first += kOutputs) {
      const std::int64_t size = std::min(kOutputs, n - first), before = width - 1;
      for (std::int64_t i = 0; i < size + before; ++i) wide[i] = static_cast<double>(x[first - before + i]);
      std::fill_n(&wide[size + before], kMany, 0.0);
      for (std::int64_t i = 0; i < size; i += kMany) {
        double sums_of_last[kMany];
        const bool is_last = i + kMany > size;
        some<W, kVectors>(&wide[before + i], taps, width, is_last ? sums_of_last : sums + first + i);
        if (is_last) std::copy_n(sums_of_last, size - i, sums + first + i);
      }
    }
  }
};

}  // namespace

void direct_sums(const float* x, const double* taps, std::int64_t width, double* sums, std::int64_t n) {
  BEATSCAN_EXPECTS(1 <= width && width <= kMaxTaps, "direct_sums: bad number of taps");
  OnProcessor<DirectSums>::run(x, taps, width, sums, n);
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
