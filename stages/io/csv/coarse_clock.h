// stages/io/csv/coarse_clock.h — rate and lost rows of a recording whose times are those of a coarse clock, such as
// whole seconds: many rows share a time, and a lost row shows in the number of rows of a tick alone.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stages/io/csv/uneven_times.h"

namespace beatscan {

struct CoarseFit {
  double rate_hz = 0;
  double rate_error_hz = 0;  // the rate is known to about this
  double tick_s = 0;         // step of the clock: a lost row is placed to within it
  std::vector<MissingRows> missing;
};

// Fits the clock of times that ascend. Returns nothing if fewer than 16 ticks are between the first row and the last,
// if the ticks are no whole numbers of one step, or if no row is lost: one line then passes within a row of all ticks,
// or the times jitter, so that ticks of few rows and of many compensate each other.
//
// Each tick gives the number of its rows. Ticks that lack two rows or more, against the upper 5 % quantile of the rows
// in a step, have lost some; the rate is that of the stretches between them. If any run of ticks holds more rows than
// that rate allows, single rows are lost throughout: the rate is then the lowest whole number that all runs allow.
// A tick that comes a row or more too early against that rate has lost rows.
//   unit_s  unit of the times in seconds
std::optional<CoarseFit> fit_coarse_clock(std::span<const double> times, double unit_s);

}  // namespace beatscan
