// stages/common/robust.h — middle and spread of many values, insensitive to outliers among them. On the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace beatscan {

// The q-quantile by linear interpolation between order statistics, of at least one value. Reorders its argument.
double quantile(std::vector<double>& values, double q);

// Robust standard deviations: z(x) = (x - median) / scale, the scale being 1.4826 MAD, so that z is standard normal
// where x is normal.
struct RobustScale {
  double median = 0, scale = 1;
  double z(double value) const { return (value - median) / scale; }
};

// Of values without order, which is lost; without values the default. The scale is at least `floor`: where all are
// alike it is not 0.
RobustScale robust_scale(std::vector<double> values, double floor);

// The scale is the mean of the values' own and a typical one: a recording that is uncommonly even (or abnormal
// throughout) is not measured by itself alone.
RobustScale blended_scale(std::vector<double> values, double typical);

// Where flags are set; of more than kMostSampled such places so many, evenly spread: enough to tell a median to a
// hundredth of the scale, in little time.
inline constexpr std::size_t kMostSampled = 8192;
std::vector<std::int64_t> sample_places(const std::vector<std::uint8_t>& flags);

// Those that are finite.
std::vector<double> finite_of(const std::vector<double>& values);

// The finite ones of the values there.
template <class T>
std::vector<double> values_at(const std::vector<T>& values, const std::vector<std::int64_t>& places) {
  std::vector<double> found;
  found.reserve(places.size());
  for (const std::int64_t i : places)
    if (std::isfinite(values[i])) found.push_back(values[i]);
  return found;
}
template <class T>
std::vector<double> sample_of(const std::vector<T>& values, const std::vector<std::uint8_t>& flags) {
  return values_at(values, sample_places(flags));
}

}  // namespace beatscan
