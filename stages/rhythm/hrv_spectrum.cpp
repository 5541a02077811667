#include "stages/rhythm/hrv_spectrum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "kernels/runtime/parallel.h"
#include "stages/rhythm/hrv.h"

namespace beatscan {

namespace {

constexpr double kLongestStep_s = 10;                                 // over a longer step a cubic overshoots
constexpr double kStepHz = 4, kBandsHz[] = {0.003, 0.04, 0.15, 0.4};  // limits of VLF, LF and HF
constexpr int kPoints = 1024, kHop = kPoints / 2;                     // 256 s and 128 s

// Returns the second derivatives of the natural cubic spline through the points. A step longer than kLongestStep is a
// straight line, and the spline begins anew after it.
std::vector<double> curvatures_of(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t count = x.size();
  std::vector<double> curvatures(count), shares(count);  // shares: of the next curvature, after elimination
  // The loop is as fast as it divides. So what one point has divided is kept for the next one.
  double before = x[1] - x[0], slope_before = (y[1] - y[0]) / before, sixth_before = before / 6;
  for (std::size_t k = 1; k + 1 < count; ++k) {
    const double behind = x[k + 1] - x[k], slope_behind = (y[k + 1] - y[k]) / behind, sixth_behind = behind / 6;
    if (before <= kLongestStep_s && behind <= kLongestStep_s) {
      const double pivot = (before + behind) / 3 - sixth_before * shares[k - 1];
      shares[k] = sixth_behind / pivot;
      curvatures[k] = (slope_behind - slope_before - sixth_before * curvatures[k - 1]) / pivot;
    }
    before = behind, slope_before = slope_behind, sixth_before = sixth_behind;
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
  const auto time_of = [&](std::int64_t j) { return x.front() + static_cast<double>(j) / kStepHz; };
  parallel_for(Cpu(), count, 8192, [&](std::int64_t first, std::int64_t last) {
    std::size_t k = std::max<std::int64_t>(std::ranges::lower_bound(x, time_of(first)) - x.begin(), 1) - 1;
    for (std::int64_t j = first; j < last; ++j) {
      const double t = time_of(j);
      while (k + 2 < x.size() && x[k + 1] < t) ++k;
      const double step = x[k + 1] - x[k], behind = (t - x[k]) / step, before = 1 - behind;
      even.ms[j] =
          before * y[k] + behind * y[k + 1] +
          ((before * before - 1) * before * curvatures[k] + (behind * behind - 1) * behind * curvatures[k + 1]) * step *
              step / 6;
      even.covered[j] = t <= x[k] || t >= x[k + 1] - y[k + 1] / 1000;
    }
  });
  return even;
}

// The numbers that every window needs.
struct Tables {
  std::array<double, kPoints> hann;
  std::array<double, kPoints> cosines, sines;  // of -2 pi k / (2 half) at half + k, for each half of a butterfly
  std::array<int, kPoints> reversed;           // the bits of each place in reverse
  double power = 0;                            // sum of the squared Hann window
  Tables() {
    for (int i = 0; i < kPoints; ++i) {
      hann[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * i / kPoints);
      power += hann[i] * hann[i];
      reversed[i] = i == 0 ? 0 : reversed[i / 2] / 2 + i % 2 * (kPoints / 2);
    }
    for (int half = 1; half < kPoints; half *= 2)
      for (int k = 0; k < half; ++k) {
        cosines[half + k] = std::cos(std::numbers::pi * k / half);
        sines[half + k] = -std::sin(std::numbers::pi * k / half);
      }
  }
};

// Complex numbers, real and imaginary parts apart.
struct Points {
  std::array<double, kPoints> real, imaginary;
};

// Does one butterfly of the transform for each k below `half`: a, b become a + turn b, a - turn b.
void butterflies(double* __restrict a_real, double* __restrict a_imaginary, double* __restrict b_real,
                 double* __restrict b_imaginary, const double* __restrict cosines, const double* __restrict sines,
                 int half) {
  for (int k = 0; k < half; ++k) {
    const double real = cosines[k] * b_real[k] - sines[k] * b_imaginary[k];
    const double imaginary = cosines[k] * b_imaginary[k] + sines[k] * b_real[k];
    b_real[k] = a_real[k] - real;
    b_imaginary[k] = a_imaginary[k] - imaginary;
    a_real[k] += real;
    a_imaginary[k] += imaginary;
  }
}

// The fast Fourier transform in place (Cooley and Tukey 1965), of points in reversed order. It is written out here
// because no library that the program links has one for the host. cuFFT runs on the device, loading LibTorch for MKL's
// takes longer than the spectrum of a day, and FFTW is under the GPL. Summing the 92 frequencies directly takes four
// times as many operations.
void transform(Points& points, const Tables& tables) {
  for (int half = 1; half < kPoints; half *= 2)
    for (int a = 0, b = half; a < kPoints; a += 2 * half, b += 2 * half)
      butterflies(&points.real[a], &points.imaginary[a], &points.real[b], &points.imaginary[b], &tables.cosines[half],
                  &tables.sines[half], half);
}

// Puts a window in reversed order, without its mean and under a Hann window.
void put_window(const double* ms, const Tables& tables, std::array<double, kPoints>& target) {
  double mean = 0;
  for (int i = 0; i < kPoints; ++i) mean += ms[i];
  mean /= kPoints;
  for (int i = 0; i < kPoints; ++i) target[tables.reversed[i]] = (ms[i] - mean) * tables.hann[i];
}

using Powers = std::array<double, 3>;  // VLF, LF and HF

// Returns the powers of two windows. They are transformed at once, as real and as imaginary parts.
std::array<Powers, 2> window_powers(const double* one, const double* other, const Tables& tables) {
  Points points;
  put_window(one, tables, points.real);
  put_window(other, tables, points.imaginary);
  transform(points, tables);
  std::array<Powers, 2> powers{};
  const double scale = 2 / (tables.power * kPoints);
  for (int k = 1; k < kPoints / 2; ++k) {
    const double hz = k * kStepHz / kPoints;
    if (hz < kBandsHz[0] || hz >= kBandsHz[3]) continue;
    const int band = (hz >= kBandsHz[1]) + (hz >= kBandsHz[2]);
    const double a = points.real[k], b = points.imaginary[k], c = points.real[kPoints - k],
                 d = points.imaginary[kPoints - k];
    powers[0][band] += scale * ((a + c) * (a + c) + (b - d) * (b - d)) / 4;
    powers[1][band] += scale * ((b + d) * (b + d) + (c - a) * (c - a)) / 4;
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
  std::vector<std::array<Powers, 2>> powers((firsts.size() + 1) / 2);
  run_parts(std::ssize(powers), [&](std::int64_t pair) {
    const std::int64_t second = std::min<std::int64_t>(2 * pair + 1, std::ssize(firsts) - 1);
    powers[pair] = window_powers(even.ms.data() + firsts[2 * pair], even.ms.data() + firsts[second], tables);
  });
  NnSpectrum spectrum{.windows = std::ssize(firsts)};
  if (firsts.empty()) return spectrum;
  for (std::size_t w = 0; w < firsts.size(); ++w) {
    const auto& [vlf, lf, hf] = powers[w / 2][w % 2];
    spectrum.vlf_ms2 += vlf / static_cast<double>(firsts.size());
    spectrum.lf_ms2 += lf / static_cast<double>(firsts.size());
    spectrum.hf_ms2 += hf / static_cast<double>(firsts.size());
  }
  return spectrum;
}

}  // namespace beatscan
