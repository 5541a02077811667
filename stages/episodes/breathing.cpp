#include "stages/episodes/breathing.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "stages/common/robust.h"

namespace beatscan {
namespace {

double waves_in(std::span<const double> window) {
  std::vector<double> x(window.begin(), window.end());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  for (double& value : x) value -= mean;
  const double power = std::inner_product(x.begin(), x.end(), x.begin(), 0.0) / static_cast<double>(x.size());
  if (!(power > 0)) return 0;
  double trough = 1, waves = 0;
  for (int k = 1; k <= kBreathLags; ++k) {
    const double r =
        std::inner_product(x.begin() + k, x.end(), x.begin(), 0.0) / (static_cast<double>(x.size()) - k) / power;
    waves = std::max(waves, r - trough);
    trough = std::min(trough, r);
  }
  return waves;
}

}  // namespace

double breathing_waves(std::span<const double> x, std::ptrdiff_t window) {
  std::vector<double> waves;
  for (std::ptrdiff_t first = 0; first + window <= std::ssize(x); first += window / 2)
    waves.push_back(waves_in(x.subspan(first, window)));
  return waves.empty() ? 0 : quantile(waves, 0.5);
}

}  // namespace beatscan
