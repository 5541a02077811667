// stages/io/csv/time_axis.h — determines from the times of a recording's rows its sampling rate, and where rows are
// missing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/io/csv/uneven_times.h"

namespace beatscan {

struct TimeAxis {
  static constexpr std::int64_t kNone = -1;
  double rate_hz = 0;                    // 0 if the times do not determine it
  std::vector<MissingRows> missing;      // ascending
  std::int64_t first_step_back = kNone;  // first row that is earlier than the one before it; then nothing else is known
  std::int64_t first_repeat = kNone;     // first row with the time of the one before; kNone if times are coarse
  std::int64_t repeats = 0;              // number of such rows
  std::int64_t unplaced = 0;             // rows that come late, and before which nothing is missing
  double tick_s = 0;                     // step of a coarse clock with lost rows, which are placed to within it; else 0
  double rate_error_hz = 0;              // of such a clock
  bool jitters = false;                  // whether missing rows cannot be distinguished from late ones
  UnevenTimes uneven = {};               // where the times leave the even clock of this rate
};

// Computes rate and missing samples.
//   times   [N] times of the rows. Unknown ones are NaN; straight lines fill them in. They may jitter, and may be so
//           coarse that several rows share one.
//   unit_s  unit of the times in seconds
//
// The typical step is the median of the steps that are not 0. A jump is a step of more than 1.5 typical ones after
// which the times stay late. The number of samples missing there is the difference of two medians: the lateness of the
// 8 rows after it, and of the 8 rows before it, against an even clock. The rate is that of all steps but the jumps. So
// the jumps are measured twice: first with a clock set by spans of rows, then with one set by the rate.
//
// Rows that come in packets with one time each (packet_times) are measured by the packets, and so are lost ones. If
// many rows repeat a time, or packets have that of a coarse clock, rate and missing rows are those of fit_coarse_clock
// if it finds lost rows.
//
// Then two other explanations are tried. Many repeats are more than one, and more than one row in a hundred.
//   grid    times are even, but single rows are missing throughout, at random or every n-th. It is tried if the times
//           leave the even clock, or if one row in two hundred is late although no sample is missing before it and the
//           step of the times' own clock does not explain that; not if many rows repeat a time.
//           The steps must differ from whole numbers of samples by at most 0.15 sample on average. The first period is
//           the mean of the steps up to 1.5 typical ones. If more than half of the rows are missing, the typical step
//           is the 10 % quantile of the steps.
//   jitter  the times jitter by more than a sample. It is tried if there is no grid, if the times leave the even
//           clock, or if many rows repeat a time while one in two hundred or more come late. Only jumps of more than a
//           second are gaps then, and the clock must be even.
TimeAxis time_axis(std::span<double> times, double unit_s);

// Returns a rate as its maker meant it: a whole number if it is within a share of 1e-4 of one, else seven digits.
double plain_rate(double hz);

}  // namespace beatscan
