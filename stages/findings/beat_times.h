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

}  // namespace beatscan
