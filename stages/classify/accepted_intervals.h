// stages/classify/accepted_intervals.h — RR intervals of K beats as the beat table uses them, and running statistics.
#pragma once

#include <algorithm>
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

// The reference RR interval around each beat, taken over accepted beats: those that are neither premature nor excluded,
// and do not follow one that is.
//
// Which beats are premature follows from the reference, and the reference from which beats are premature, so both are
// computed in three rounds. A mask excludes beats: wide beats and false detections, by the posteriors of a classifier,
// or none. Constants are those with which the prototype was fitted; the classifier that reads the columns learns how to
// weigh them.
//
//   near_i      0.6-quantile of the 15 intervals on either side
//   change_i    median over 30 beats on either side of min over j = 1, 2, 3 of |RR_i - RR_(i-j)| / near_i: small in
//               bigeminy and trigeminy, large in atrial fibrillation
//   reference   0.7-quantile of the 24 accepted intervals on either side
//   scatter     1.4826 median of |RR / reference - 1| of the 48 accepted intervals on either side
//   margin_i    1 - RR_i / reference_i + clip(RR_(i+1) / reference_i - 1, 0, 0.5) / 2
//               + 0.6 clip(1 - RR_i / RR_(i-1), -0.3, 0.2), where the last term is 0 after an excluded beat, and not
//               negative after a premature one
//   premature   1 - RR_i / reference_i > 0.08 and margin_i > max(0.28, 4 scatter_i)
// After excluded beats the time from the last beat that is not excluded must be short, too. A run of premature beats
// continues while intervals stay below 0.85 of the reference at its start and change little. A run of 60 beats and more
// that does not end suddenly is the dominant rhythm of its time.

struct AcceptedIntervals {
  std::vector<double> reference_s;      // [K]
  std::vector<double> scatter;          // [K]
  std::vector<double> change;           // [K]
  std::vector<double> margin;           // [K]
  std::vector<std::uint8_t> premature;  // [K]
};

// Returns the margin that a premature beat exceeds.
inline double premature_margin(double scatter) { return std::max(0.28, 4 * scatter); }

// RR intervals, and the reference with no beat excluded.
struct RrIntervals {
  std::vector<double> rr_s;  // [K] known_rr_s
  AcceptedIntervals accepted;
};
RrIntervals rr_intervals(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz);

// Computes the reference.
//   rr_s   [K] known_rr_s
//   aside  [K] the mask of excluded beats
AcceptedIntervals accepted_intervals(std::span<const double> rr_s, std::span<const std::uint8_t> aside);

}  // namespace beatscan
