#include "app/report/drawing/ranges.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace beatscan {
namespace {

// Returns the extremes of all values but NaN, which compares as false. It keeps those of every 32nd value apart, so
// that the compiler compares several values at once; it does so for no fewer than 32.
Extremes extremes_but_nan(const float* values, std::size_t count) {
  constexpr std::size_t lanes = 32;
  Extremes all;
  float least[lanes], greatest[lanes];
  for (std::size_t lane = 0; lane < lanes; ++lane) least[lane] = all.least, greatest[lane] = all.greatest;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      least[lane] = values[i + lane] < least[lane] ? values[i + lane] : least[lane];
      greatest[lane] = values[i + lane] > greatest[lane] ? values[i + lane] : greatest[lane];
    }
  const auto add = [&](float low, float high) {
    if (low < all.least) all.least = low;
    if (high > all.greatest) all.greatest = high;
  };
  for (; i < count; ++i) add(values[i], values[i]);
  for (std::size_t lane = 0; lane < lanes; ++lane) add(least[lane], greatest[lane]);
  return all;
}

// Returns the finite values; of many so many that quantiles can be estimated. Their places are random: every n-th
// value may miss the peaks of a steady rhythm, or the greatest values of an envelope. They are the same in each run.
std::vector<float> some_of(std::span<const float> values) {
  constexpr std::uint64_t kEnough = 1 << 14;
  const bool all = values.size() <= kEnough;
  std::mt19937 random;  // 32 bits each
  std::vector<float> some;
  some.reserve(std::min(values.size(), kEnough));
  for (std::uint64_t i = 0; i < std::min(values.size(), kEnough); ++i) {
    const float value = values[all ? i : std::uint64_t{random()} * values.size() >> 32];
    if (std::isfinite(value)) some.push_back(value);
  }
  return some;
}

double value_at(std::vector<float>& values, long long place) {
  const auto found = values.begin() + place;
  std::nth_element(values.begin(), found, values.end());
  return *found;
}

Range with_margin(double from, double to) {
  const double margin = std::max(0.05 * (to - from), 1e-6 * std::max(std::abs(from), 1e-30));
  return {from - margin, to + margin};
}

}  // namespace

Extremes extremes_of(std::span<const float> values) {
  Extremes all = extremes_but_nan(values.data(), values.size());
  if (std::isfinite(all.least) && std::isfinite(all.greatest)) return all;
  all = {};  // a value is infinite, which is rare, or none is a number
  for (const float value : values)
    if (std::isfinite(value)) all = {std::min(all.least, value), std::max(all.greatest, value)};
  return all;
}

Range range_of(std::span<const float> values, double apart) {
  if (apart <= 0) {
    const Extremes ends = extremes_of(values);
    return ends.exist() ? with_margin(ends.least, ends.greatest) : Range{0, 1};
  }
  std::vector<float> some = some_of(values);
  if (some.empty()) return {0, 1};
  const auto last = static_cast<double>(some.size() - 1);
  const double from = value_at(some, std::llround(last * apart));
  return with_margin(from, value_at(some, std::llround(last * (1 - apart))));
}

SignalRange signal_range(std::span<const float> envelope) {
  constexpr double kArtefacts = 1e-3;
  const Range all = range_of(envelope, 0), usual = range_of(envelope, kArtefacts);
  const bool cut = all.to - all.from > 2 * (usual.to - usual.from);
  return {cut ? usual : all, cut};
}

}  // namespace beatscan
