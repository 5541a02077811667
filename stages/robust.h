// stages/robust.h — middle and spread of many values, insensitive to outliers among them. On the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace beatscan {

// The q-quantile by linear interpolation between order statistics, of at least one value. Reorders its argument.
double quantile(std::vector<double>& values, double q);

// Robust standard deviations: z(x) = (x - median) / (1.4826 MAD), so that z is standard normal where x is normal.
struct RobustScale {
  double median = 0, scale = 1;
  double z(double value) const { return (value - median) / scale; }
};

// Of the finite ones; of more than kMostForScale so many, evenly spread, which tell the median to a hundredth of the
// scale. The scale is at least `floor`: where all values are alike it is not 0. Without values the default.
// With `typical` the scale is the mean of the values' own and this: a recording that is uncommonly even (or one that is
// abnormal throughout) is not measured by itself alone.
inline constexpr std::size_t kMostForScale = 8192;
RobustScale robust_scale(const std::vector<double>& values, double floor);
RobustScale blended_scale(const std::vector<double>& values, double typical);

// Those with a flag.
std::vector<double> flagged(const std::vector<double>& values, const std::vector<std::uint8_t>& flags);

}  // namespace beatscan
