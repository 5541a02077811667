// stages/input/csv/time_axis.h — what the times of a recording's rows say: how long a sample lasts, and where rows are
// missing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

// Samples that were not recorded.
struct MissingRows {
  std::int64_t before_row;  // they belong right before this row
  std::int64_t samples;
};

struct TimeAxis {
  static constexpr std::int64_t kNone = -1;
  double rate_hz = 0;                // 0: they do not tell it
  std::vector<MissingRows> missing;  // ascending
  std::int64_t first_step_back =
      kNone;                          // the first row that is earlier than the one before; nothing else is then known
  std::int64_t first_repeat = kNone;  // the first row at the time of the one before, where times are finer than rows
  std::int64_t repeats = 0;           // how many of these
};

// times   [N] of the rows; NaN (unknown) is filled in by straight lines. Any resolution will do, also one of several
//         rows; steps may jitter.
// unit_s  of the times
//
// The rate is that of the steps which are no jumps. A jump is a step of more than 1.5 usual ones (the median of those
// that are not 0) behind which the times stay late: the medians of 8 rows before and after it, each measured against an
// even clock, tell by how many samples. That clock is set twice: by spans of rows, then by the rate itself.
TimeAxis time_axis(std::span<double> times, double unit_s);

// A rate as its maker meant it: whole where it is within 1e-4 of that, else with seven digits.
double plain_rate(double hz);

}  // namespace beatscan
