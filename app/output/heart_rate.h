// app/output/heart_rate.h — heart rates as an annotation file has them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/rhythm/episode.h"

namespace beatscan {

struct MeasuredRate {
  std::int64_t sample;  // of the beat that ends the last interval
  double rate_bpm;
};

inline constexpr double kRateWindow_s = 10;

// Returns the mean heart rate of each 10 s, counted from the start of the recording: the number of RR intervals that
// end there, over their sum. There is none without an interval.
//   beats   ascending
//   breaks  in order of their starts; an interval that overlaps one is left out
std::vector<MeasuredRate> heart_rates(std::span<const std::int64_t> beats, std::span<const TimeSpan> breaks,
                                      double sample_rate_hz);

}  // namespace beatscan
