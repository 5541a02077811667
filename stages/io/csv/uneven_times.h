// stages/io/csv/uneven_times.h — compares the times of rows with the places that the rows have on an even clock.
#pragma once

#include <cstdint>
#include <span>

namespace beatscan {

// A run of samples that were not recorded.
struct MissingRows {
  std::int64_t before_row;  // the samples belong right before this row
  std::int64_t samples;
};

// How far, and where, the times of rows deviate from an even clock by more than jitter explains.
struct UnevenTimes {
  double distance_s = 0;                 // largest distance of a time from the even clock; 0 where the times are even
  std::int64_t row = 0;                  // the row there
  double lowest_hz = 0, highest_hz = 0;  // rates of its parts; highest_hz is infinite where the times stand still
  double share = 0;   // part of the recording whose rate differs by more than 3 % from that of the clock
  double spread = 0;  // typical range of the times around the clock within a block, in units; 0 of too few rows
};

// An even clock: row i stands at (i + samples missing before it) periods.
struct EvenClock {
  double period, unit_s;                 // time of a sample in units, and the unit in seconds
  double usual_step;                     // median of the steps of the times that are not 0, in units
  std::span<const MissingRows> missing;  // ascending
};

// Compares in blocks of 2 s, or of 8 steps of a clock that is coarser. A block is a quarter of the rows at most, and 16
// rows at least; where there are too few rows for that, the times count as even. A distance counts where the mean of a
// block has moved against that of another by more than the largest of these, and by more than 0.2 % of the time between
// both:
//   20 ms; 1.5 samples; a step of the times; the typical spread of the times within a block
//   times  [N] ascending
UnevenTimes compare_with_clock(std::span<const double> times, const EvenClock& clock);

}  // namespace beatscan
