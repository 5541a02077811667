#include <algorithm>
#include <numbers>

#include "tests/kernels/waves/waves_reference.h"

namespace beatscan::waves {

std::vector<float> random_windows(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> noise(0, 0.02f);
  std::uniform_real_distribution<double> phase(0, 2 * std::numbers::pi);
  std::vector<float> windows;
  for (std::int64_t b = 0; b < count; ++b) {
    std::vector<float> window;
    const double shift = phase(random);
    for (int k = 0; k < kValues; ++k) {
      const double wave = 0.3 * std::sin(k * 0.03 + shift), r = std::exp(-std::pow((k - kRValue) / 4.0, 2));
      window.push_back(static_cast<float>(wave + r) + noise(random));
    }
    auto sorted = window;
    std::ranges::sort(sorted);
    for (float& value : window) value -= (sorted[kValues / 2 - 1] + sorted[kValues / 2]) / 2;
    windows.insert(windows.end(), window.begin(), window.end());
  }
  return windows;
}

}  // namespace beatscan::waves
