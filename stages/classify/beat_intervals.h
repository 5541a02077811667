// stages/classify/beat_intervals.h — rR intervals of K beats as the beat table uses them, and running statistics.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

inline constexpr double kShortestRrS = 0.15, kLongestRrS = 6;
inline constexpr double kPrematureRatio = 0.88;  // below it the RR interval over the local median is premature

// Returns the RR interval before each beat, in seconds, within kShortestRrS .. kLongestRrS. One that is not known is
// the median of those that are, 0.8 of none.
std::vector<double> known_rr_s(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz);

// Returns the q-quantile of 2 * reach values around each of the K values: those of `reach` places before it, and of
// as many from it on, as far as there are any. It interpolates between order statistics.
std::vector<double> quantiles_around(std::span<const double> values, int reach, double q);

// The same of some values: of those before and after the place before which `before[i]` of them lie, [K].
std::vector<double> quantiles_around(std::span<const double> values, std::span<const std::int64_t> before, int reach,
                                     double q);

// The median of the values that exist among those of `reach` places on either side; NaN of none.
std::vector<double> known_medians(std::span<const double> values, int reach);

// A selection of K values, and how many selected values lie before each of the K.
struct SomeValues {
  std::vector<double> values;
  std::vector<std::int64_t> before;  // [K]
};

// Returns all[i] where chosen(i).
template <class Chosen>
SomeValues some_values(std::span<const double> all, const Chosen& chosen) {
  SomeValues some{std::vector<double>(all.size()), std::vector<std::int64_t>(all.size())};
  std::int64_t count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    some.before[i] = count;
    some.values[count] = all[i];
    count += chosen(i) ? 1 : 0;
  }
  some.values.resize(count);
  return some;
}

// Returns the mean of the values within `reach` places of each, as far as there are any.
std::vector<double> means_around(std::span<const double> values, int reach);

// Returns the value `by` places later (earlier, if negative); beyond the ends the last or the first one.
inline double neighbour(std::span<const double> values, std::int64_t i, std::int64_t by) {
  const std::int64_t at = i + by, last = static_cast<std::int64_t>(values.size()) - 1;
  return values[at < 0 ? 0 : at > last ? last : at];
}

}  // namespace beatscan
