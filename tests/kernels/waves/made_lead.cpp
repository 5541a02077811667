#include "tests/kernels/waves/made_lead.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace beatscan::waves {
namespace {

constexpr double kPi = std::numbers::pi;

bool is_missing(const MadeLead& lead, std::int64_t i) {
  return std::ranges::any_of(lead.gaps, [i](const auto& gap) { return gap.first <= i && i <= gap.second; });
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// Returns the samples minus their baseline, NaN if they are missing.
std::vector<double> without_baseline(const MadeLead& lead) {
  const std::int64_t size = std::ssize(lead.samples);
  const auto block = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(0.04 * lead.rate_hz + 0.5)));
  const auto levels = expected_levels(lead);
  std::vector<double> centres, y(size);
  for (std::int64_t first = 0; first < size; first += block)
    centres.push_back(static_cast<double>(first) + static_cast<double>(std::min(block, size - first) - 1) / 2);
  for (std::int64_t i = 0; i < size; ++i) {
    const auto at = static_cast<double>(i);
    std::size_t j = 0;
    while (j + 1 < centres.size() && centres[j + 1] <= at) ++j;
    double level = levels[j];
    if (at > centres[j] && j + 1 < centres.size())
      level += (at - centres[j]) / (centres[j + 1] - centres[j]) * (levels[j + 1] - levels[j]);
    y[i] = is_missing(lead, i) ? NAN : lead.samples[i] - level;
  }
  return y;
}

}  // namespace

MadeLead made_lead(std::int64_t size, double rate_hz, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 0.01);
  MadeLead lead{{}, {}, rate_hz};
  for (std::int64_t i = 0; i < size; ++i) {
    const double t = static_cast<double>(i) / rate_hz;
    const double x = 0.5 * std::sin(2 * kPi * 0.2 * t) + 0.3 * std::sin(2 * kPi * 7 * t) +
                     0.4 * std::sin(2 * kPi * std::min(20.0, rate_hz / 6) * t) + noise(random);
    lead.samples.push_back(static_cast<float>(x + 2));
  }
  for (std::int64_t first = size / 3; first < size && first + 400 < size * 2 / 3;
       first += static_cast<std::int64_t>(100 + random() % 1500)) {
    const auto last = first + static_cast<std::int64_t>(random() % (random() % 2 ? 3 : 400));
    lead.gaps.emplace_back(first, last);
    std::fill(lead.samples.begin() + first, lead.samples.begin() + last + 1, 1e6f);
    first = last + 1;
  }
  return lead;
}

std::vector<double> expected_levels(const MadeLead& lead) {
  const std::int64_t size = std::ssize(lead.samples);
  const auto block = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(0.04 * lead.rate_hz + 0.5)));
  std::vector<double> sums, counts, levels;
  for (std::int64_t i = 0; i < size; ++i) {
    if (i % block == 0) {
      sums.push_back(0);
      counts.push_back(0);
    }
    if (is_missing(lead, i)) continue;
    sums.back() += lead.samples[i];
    ++counts.back();
  }
  for (std::int64_t i = 0; i < std::ssize(sums); ++i) {
    double sum = 0, weight = 0;
    for (std::int64_t j = std::max<std::int64_t>(0, i - 46); j <= std::min(i + 46, std::ssize(sums) - 1); ++j) {
      const double factor = std::exp(-2 * kPi * 0.35 * static_cast<double>(std::abs(i - j) * block) / lead.rate_hz);
      sum += factor * sums[j];
      weight += factor * counts[j];
    }
    levels.push_back(weight > 0 ? sum / weight : 0);
  }
  return levels;
}

std::vector<double> expected_window(const MadeLead& lead, double r) {
  const auto y = without_baseline(lead);
  const double half = 4 * lead.rate_hz / std::min(lead.rate_hz, 250.0);
  const double cutoff = 0.8 * std::min(lead.rate_hz / 2, 125.0) / lead.rate_hz;
  std::vector<double> window, present;
  for (int k = 0; k < kValues; ++k) {
    const double p = r + (k - 125) * (lead.rate_hz / 250);
    double sum = 0, kept = 0, all = 0;
    for (auto i = static_cast<std::int64_t>(std::floor(p - half)); i <= std::ceil(p + half); ++i) {
      const double d = static_cast<double>(i) - p, z = 2 * kPi * cutoff * d;
      if (std::abs(d) >= half) continue;
      const double weight = (z == 0 ? 1 : std::sin(z) / z) * (1 + std::cos(kPi * d / half)) / 2;
      const double value = y[std::clamp<std::int64_t>(i, 0, std::ssize(y) - 1)];
      all += weight;
      if (std::isnan(value)) continue;
      kept += weight;
      sum += weight * value;
    }
    window.push_back(kept >= 0.5 * all ? sum / kept : NAN);
    if (!std::isnan(window.back())) present.push_back(window.back());
  }
  const double fill = present.empty() ? 0 : median_of(present);
  for (double& value : window)
    if (std::isnan(value)) value = fill;
  const double median = median_of(window);
  for (double& value : window) value -= median;
  return window;
}

}  // namespace beatscan::waves
