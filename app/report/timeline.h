// app/report/timeline.h — a recording in equal windows of time: beats, heart rate, abnormal beats, poor signal.
#pragma once

#include <limits>
#include <vector>

#include "app/report/stored_result.h"

namespace beatscan {

// Heart rates are of means over so many RR intervals in a row, so that one early beat is no fast heart.
inline constexpr int kRateIntervals = 8;

struct Window {
  double from, to;  // positions; the last window ends with the recording
  std::int64_t beats = 0, scored = 0, abnormal = 0;
  // Beats a minute: over all intervals that begin in the window; the slowest and the fastest kRateIntervals of them in
  // a row. NaN without such, or without a rate.
  double mean_rate = std::numeric_limits<double>::quiet_NaN(), slowest = mean_rate, fastest = mean_rate;
  double poor = 0;  // share of its time that is not good signal
};

// The least round width (10 s, 15 s, … 1 h; without a rate 1, 2, 5 times a power of ten) that gives at most so many.
double window_width(const StoredResult& result, int most);

std::vector<Window> windows_of(const StoredResult& result, double width);

}  // namespace beatscan
