// app/report/sections/timeline.h — counts beats, heart rates and poor signal in equal windows of the recording.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "stages/findings/beat_class.h"

namespace beatscan {

struct StoredResult;

// The slowest and the fastest heart rate are means over this number of RR intervals in a row, so that one early beat
// does not count as a fast heart.
inline constexpr int kRateIntervals = 8;

struct Window {
  double from, to;  // positions; the last window ends with the recording
  std::int64_t beats = 0, scored = 0, abnormal = 0;
  // Beats a minute: the mean over all intervals that begin in the window, and those of the slowest and the fastest
  // kRateIntervals in a row. NaN where there are no such intervals or the sampling rate is unknown.
  double mean_rate = std::numeric_limits<double>::quiet_NaN(), slowest = mean_rate, fastest = mean_rate;
  std::array<std::int64_t, kKinds> kinds = {};  // beats of each kind, in the order of kKindLetters
  double fibrillation = 0;                      // share of the window in atrial fibrillation
  double poor = 0;                              // share of the window with poor signal
};

// Says whether the course of the heart rate is shown. It is not shown for a recording under a minute, nor without a
// sampling rate.
bool has_rate_panel(const StoredResult& result);

// Returns the least round width that gives at most `most` windows: 1 s for a recording under a minute, else 10 s, 15 s,
// … 1 h. Without a sampling rate it is 1, 2 or 5 times a power of ten samples.
double window_width(const StoredResult& result, int most);

std::vector<Window> windows_of(const StoredResult& result, double width);

}  // namespace beatscan
