// stages/common/robust.h — middle and spread of many values on the host, insensitive to outliers among them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

// Returns the value that has `place` others before it when the values are sorted, as std::nth_element puts it there. On
// many values it is several times as fast, because it has no branches that depend on them. There is no NaN among them.
template <class T>
T nth_value(std::span<const T> values, std::size_t place);

// Returns the q-quantile of at least one value by linear interpolation between order statistics.
double quantile(std::span<const float> values, double q);
double quantile(std::span<const double> values, double q);

// Returns the q-quantile of at least one value, if the values are sorted. It takes no time, so it suits callers that
// need several quantiles.
double quantile_of_sorted(std::span<const double> values, double q);

// Returns the median of at least one value, and the upper one of the two in the middle if their number is even: one of
// the values, while quantile() interpolates between two.
template <class T>
T upper_median(const std::vector<T>& values) {
  return nth_value<T>(values, values.size() / 2);
}

// A robust mean and standard deviation: z(x) = (x - median) / scale with scale = 1.4826 MAD, where MAD is the median
// of |x - median|. If x is normal, z(x) is standard normal.
struct RobustScale {
  double median = 0, scale = 1;
  double z(double value) const { return (value - median) / scale; }
};

// Returns median and scale of the values, or {0, 1} of none. The scale is at least `floor`, so that it is not 0 if all
// values are equal.
RobustScale robust_scale(std::vector<double> values, double floor);

// Returns the median, and as scale the mean of the values' own scale and a typical one. So the scale of a recording
// that is uncommonly regular, or abnormal throughout, does not come from the recording alone.
RobustScale blended_scale(std::vector<double> values, double typical);

// The size of a sample that gives a median to a hundredth of the scale, in little time.
inline constexpr std::size_t kMostSampled = 8192;

// Returns the places where flags are set. If there are more than `most`, it returns that number of them, evenly spread.
std::vector<std::int64_t> sample_places(const std::vector<std::uint8_t>& flags, std::size_t most = kMostSampled);

// Returns the values that are finite.
std::vector<double> finite_of(const std::vector<double>& values);

// Returns the finite values at these places.
template <class T>
std::vector<double> values_at(const std::vector<T>& values, const std::vector<std::int64_t>& places) {
  std::vector<double> found;
  found.reserve(places.size());
  for (const std::int64_t i : places)
    if (std::isfinite(values[i])) found.push_back(values[i]);
  return found;
}

// Returns the finite values at sample_places(flags).
template <class T>
std::vector<double> sample_of(const std::vector<T>& values, const std::vector<std::uint8_t>& flags) {
  return values_at(values, sample_places(flags));
}

}  // namespace beatscan
