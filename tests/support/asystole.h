// tests/support/asystole.h — an ECG with asystole: P waves continue without QRS complexes.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace beatscan {

inline constexpr int kAsystoleRate = 360;

// Adds a Gaussian wave; centre and sigma are in samples.
inline void add_wave(std::vector<float>& x, double centre, double sigma, double height) {
  for (auto i = static_cast<std::int64_t>(centre - 6 * sigma); i <= static_cast<std::int64_t>(centre + 6 * sigma); ++i)
    if (i >= 0 && i < std::ssize(x))
      x[i] += static_cast<float>(height * std::exp(-0.5 * std::pow((static_cast<double>(i) - centre) / sigma, 2)));
}

struct AsystoleEcg {
  int seconds = 240;
  std::function<bool(double)> is_still;                             // whether there is ventricular asystole at a time
  std::function<double(double)> gain = [](double) { return 1.0; };  // at a time
  double p_sigma_s = 0.022;
  double p_height = 0.15;  // mV, against R peaks of 1.1 mV
};

// Returns the samples, in mV. P waves have a rate of 75 a minute.
inline std::vector<float> asystole_ecg(const AsystoleEcg& ecg) {
  std::vector<float> x(kAsystoleRate * ecg.seconds);
  for (double t = 0.5; t < ecg.seconds - 1; t += 0.8) {
    const double at = t * kAsystoleRate, size = ecg.gain(t);
    add_wave(x, at - 0.16 * kAsystoleRate, ecg.p_sigma_s * kAsystoleRate, ecg.p_height * size);
    if (ecg.is_still(t)) continue;
    add_wave(x, at, 2.6, 1.1 * size);
    add_wave(x, at + 8, 2.2, -0.25 * size);
    add_wave(x, at + 0.28 * kAsystoleRate, 0.045 * kAsystoleRate, 0.3 * size);
  }
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.005F);
  for (float& value : x) value += noise(random);
  return x;
}

}  // namespace beatscan
