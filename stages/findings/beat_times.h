// stages/findings/beat_times.h — how early a beat comes.
#pragma once

#include <cstdint>
#include <span>

namespace beatscan {

// Returns the interval before beat i over the usual one; NaN where it is not known. Behind an interpolated beat it
// counts from the beat before that one: both intervals together are as long as a usual one, and so is the next. So a
// usual beat behind an interpolated extrasystole is on time, though it follows it soon.
//   rr           [K] interval before each beat; NaN where it is not known
//   usual        [K] that is usual around it, in the same unit
//   early_ratio  an early beat's ratio is below this; an interval from this to 2 less this is on time
double ratio_before(std::span<const double> rr, std::span<const double> usual, std::int64_t i, double early_ratio);

// Returns the median of the intervals around a beat, `reach` of those that begin before it and as many of the others;
// 0 where there are none.
//   r_peaks    [K] samples
//   intervals  beats i, ascending, that stand for the intervals from i to i + 1
double median_interval(std::span<const double> r_peaks, std::span<const std::int64_t> intervals, std::int64_t beat,
                       std::int64_t reach);

}  // namespace beatscan
