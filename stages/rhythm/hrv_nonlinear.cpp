#include "stages/rhythm/hrv_nonlinear.h"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "kernels/rhythm/line_fits.h"
#include "kernels/runtime/parallel.h"
#include "stages/rhythm/hrv.h"

namespace beatscan {

Poincare poincare_of(const NnIntervals& nn) {
  std::vector<double> differences, sums;
  for (std::size_t i = 1; i < nn.ms.size(); ++i) {
    if (!nn.follows[i]) continue;
    differences.push_back(nn.ms[i] - nn.ms[i - 1]);
    sums.push_back(nn.ms[i] + nn.ms[i - 1]);
  }
  const auto across = standard_deviation(differences), along = standard_deviation(sums);
  if (!across || !along) return {};
  return {*across / std::numbers::sqrt2, *along / std::numbers::sqrt2};
}

namespace {

// Returns y: the sum of the distances from the mean up to each value.
std::vector<double> profile_of(std::span<const double> values) {
  double mean = 0, sum = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  std::vector<double> profile;
  profile.reserve(values.size());
  for (const double value : values) profile.push_back(sum += value - mean);
  return profile;
}

// Returns log F(n).
double log_fluctuation(std::span<const double> profile, std::int64_t n) {
  const std::int64_t boxes = std::ssize(profile) / n;
  return std::log(squares_around_lines(profile, n) / static_cast<double>(boxes * n)) / 2;
}

}  // namespace

std::optional<double> fluctuation_exponent(std::span<const double> nn_ms, BoxSizes boxes) {
  constexpr int kLeastBoxes = 4;  // of the longest size
  if (std::ssize(nn_ms) < std::int64_t{kLeastBoxes} * boxes.longest) return std::nullopt;
  const auto profile = profile_of(nn_ms);
  const int sizes = boxes.longest - boxes.shortest + 1;
  std::vector<double> logs(sizes);
  parallel_for(Cpu(), sizes, std::max<std::int64_t>(65536 / std::ssize(nn_ms), 1),
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) logs[i] = log_fluctuation(profile, boxes.shortest + i);
               });
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (int i = 0; i < sizes; ++i) {
    mean_x += std::log(boxes.shortest + i) / sizes;
    mean_y += logs[i] / sizes;
  }
  for (int i = 0; i < sizes; ++i) {
    const double x = std::log(boxes.shortest + i) - mean_x;
    xx += x * x;
    xy += x * (logs[i] - mean_y);
  }
  const double slope = xy / xx;
  return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

std::optional<double> deceleration_capacity(const NnIntervals& nn) {
  constexpr double kMostProlongation = 1.05;
  double sum = 0;
  std::int64_t anchors = 0;
  const auto& x = nn.ms;
  for (std::size_t i = 2; i + 1 < x.size(); ++i) {
    if (!nn.follows[i - 1] || !nn.follows[i] || !nn.follows[i + 1]) continue;
    if (x[i] <= x[i - 1] || x[i] > kMostProlongation * x[i - 1]) continue;
    sum += (x[i] + x[i + 1] - x[i - 1] - x[i - 2]) / 4;
    ++anchors;
  }
  return anchors > 0 ? std::optional(sum / static_cast<double>(anchors)) : std::nullopt;
}

}  // namespace beatscan
