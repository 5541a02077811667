#include "kernels/signal/wavelets.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

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

}  // namespace beatscan
