#include "stages/episodes/hrv_spectrum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

constexpr double kLongestStep_s = 10;  // a cubic goes astray over a longer one
constexpr double kStepHz = 4, kLowHz = 0.04, kMiddleHz = 0.15, kHighHz = 0.4;
constexpr int kPoints = 1024, kHop = kPoints / 2;  // 256 s and 128 s
using Spectrum = std::array<std::complex<double>, kPoints>;

// Returns the second derivatives of the natural cubic spline through the points. A step longer than kLongestStep is a
// straight line, and the spline begins anew behind it.
std::vector<double> curvatures_of(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t count = x.size();
  std::vector<double> curvatures(count), shares(count);  // shares: of the next curvature, after elimination
  for (std::size_t k = 1; k + 1 < count; ++k) {
    const double before = x[k] - x[k - 1], behind = x[k + 1] - x[k];
    if (before > kLongestStep_s || behind > kLongestStep_s) continue;
    const double right = (y[k + 1] - y[k]) / behind - (y[k] - y[k - 1]) / before;
    const double pivot = (before + behind) / 3 - before / 6 * shares[k - 1];
    shares[k] = behind / 6 / pivot;
    curvatures[k] = (right - before / 6 * curvatures[k - 1]) / pivot;
  }
  for (std::size_t k = count - 1; k-- > 0;) curvatures[k] -= shares[k] * curvatures[k + 1];
  return curvatures;
}

// NN four times a second, and which of these moments lie in an NN interval.
struct EvenNn {
  std::vector<double> ms;
  std::vector<std::uint8_t> covered;
};

EvenNn even_nn(const NnIntervals& nn) {
  const auto& x = nn.end_s;
  const auto& y = nn.ms;
  const auto curvatures = curvatures_of(x, y);
  const auto count = static_cast<std::int64_t>((x.back() - x.front()) * kStepHz) + 1;
  EvenNn even{std::vector<double>(count), std::vector<std::uint8_t>(count)};
  std::size_t k = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    const double t = x.front() + static_cast<double>(j) / kStepHz;
    while (k + 2 < x.size() && x[k + 1] < t) ++k;
    const double step = x[k + 1] - x[k], behind = (t - x[k]) / step, before = 1 - behind;
    even.ms[j] = before * y[k] + behind * y[k + 1] +
                 ((before * before - 1) * before * curvatures[k] + (behind * behind - 1) * behind * curvatures[k + 1]) *
                     step * step / 6;
    even.covered[j] = t <= x[k] || t >= x[k + 1] - y[k + 1] / 1000;
  }
  return even;
}

// The numbers that every window needs.
struct Tables {
  std::array<double, kPoints> hann;
  std::array<std::complex<double>, kPoints / 2> turns;  // exp(-2 pi i k / kPoints)
  double power = 0;                                     // sum of the squared Hann window
  Tables() {
    for (int i = 0; i < kPoints; ++i) {
      const double angle = 2 * std::numbers::pi * i / kPoints;
      hann[i] = 0.5 - 0.5 * std::cos(angle);
      power += hann[i] * hann[i];
      if (i < kPoints / 2) turns[i] = {std::cos(angle), -std::sin(angle)};
    }
  }
};

// The fast Fourier transform in place (Cooley and Tukey 1965).
void transform(Spectrum& values, const Tables& tables) {
  for (int i = 1, j = 0; i < kPoints; ++i) {
    int bit = kPoints / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  for (int size = 2; size <= kPoints; size *= 2)
    for (int first = 0; first < kPoints; first += size)
      for (int k = 0; k < size / 2; ++k) {
        const std::complex<double> turn = tables.turns[k * (kPoints / size)], b = values[first + k + size / 2];
        const std::complex<double> turned(turn.real() * b.real() - turn.imag() * b.imag(),
                                          turn.real() * b.imag() + turn.imag() * b.real());
        values[first + k + size / 2] = values[first + k] - turned;
        values[first + k] += turned;
      }
}

// Returns LF and HF of one window.
std::array<double, 2> window_powers(const double* ms, const Tables& tables) {
  double mean = 0;
  for (int i = 0; i < kPoints; ++i) mean += ms[i];
  mean /= kPoints;
  Spectrum values;
  for (int i = 0; i < kPoints; ++i) values[i] = (ms[i] - mean) * tables.hann[i];
  transform(values, tables);
  std::array<double, 2> powers{};
  for (int k = 1; k < kPoints / 2; ++k) {
    const double hz = k * kStepHz / kPoints;
    if (hz < kLowHz || hz >= kHighHz) continue;
    powers[hz >= kMiddleHz] += 2 * std::norm(values[k]) / (tables.power * kPoints);
  }
  return powers;
}

}  // namespace

NnSpectrum nn_spectrum(const NnIntervals& nn, double covered) {
  if (nn.ms.size() < 2 || (nn.end_s.back() - nn.end_s.front()) * kStepHz < kPoints - 1) return {};
  const EvenNn even = even_nn(nn);
  std::vector<std::int64_t> firsts;
  for (std::int64_t first = 0; first + kPoints <= std::ssize(even.ms); first += kHop)
    if (std::count(even.covered.begin() + first, even.covered.begin() + first + kPoints, 1) >= covered * kPoints)
      firsts.push_back(first);
  static const Tables tables;
  std::vector<std::array<double, 2>> powers(firsts.size());
  run_parts(std::ssize(firsts), [&](std::int64_t w) { powers[w] = window_powers(even.ms.data() + firsts[w], tables); });
  NnSpectrum spectrum{.windows = std::ssize(firsts)};
  if (firsts.empty()) return spectrum;
  for (const auto& [lf, hf] : powers) {
    spectrum.lf_ms2 += lf / static_cast<double>(firsts.size());
    spectrum.hf_ms2 += hf / static_cast<double>(firsts.size());
  }
  return spectrum;
}

}  // namespace beatscan
