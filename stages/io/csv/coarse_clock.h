// stages/io/csv/coarse_clock.h — rate and lost rows of a recording whose times are those of a coarse clock, such as
// whole seconds: many rows share a time, and a lost row shows in the number of rows of a tick alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stages/io/csv/uneven_times.h"

namespace beatscan {

struct CoarseFit {
  double rate_hz = 0;
  double rate_error_hz = 0;  // the rate is known to this
  double tick_s = 0;         // step of the clock: a lost row is placed to within it
  std::vector<MissingRows> missing;
};

// Fits the clock of times that ascend. Returns nothing if fewer than 16 ticks are between the first row and the last,
// if the ticks are no whole numbers of one step, or if no row is lost: one line then passes within a row of all ticks,
// or the times jitter, so that ticks of few rows and of many compensate each other.
//
// A run of ticks without a lost row holds less than a row more or less than its time makes. So the densest runs, of 1,
// 2, 4, ... ticks, bound the rate from below, and the longest of them shows how closely. Bursts of lost rows leave
// stretches between them, whose mean rate is closer. Single rows that are lost throughout are in all ticks: their mean
// number is the variance of the rows (Poisson). Within its bounds the rate is a round number, such as 250, 256 or 360;
// or else the nearest whole one. A tick that comes a row or more too early against that rate has lost rows.
//   unit_s  unit of the times in seconds
//   rows    of each time: times may be those of packets
std::optional<CoarseFit> fit_coarse_clock(std::span<const double> times, double unit_s, std::int64_t rows = 1);

}  // namespace beatscan
