// stages/quality/wraps.h — tells where a converter wraps round: a wave beyond its range comes back from the other end.
//
// The signal then jumps by nearly its whole range between two samples, and goes on there as it came: it jumps by 0.85
// of the range at least, and neither the change before nor that after is above 0.3 of the range. A jump back within 10
// ms makes both a pacing spike, which counts nothing. Calibration pulses as high as the range count.
#pragma once

#include <cstdint>

namespace beatscan {

struct SignalQuality;
template <class Context>
struct RecordedLead;

struct Wraps {
  std::int64_t up = 0, down = 0;  // jumps
  std::int64_t first = 0;         // sample before the first one

  // A wave that wraps round jumps there and back. Of 340 leads of six databases none has more than 4 of either.
  static constexpr std::int64_t kLeast = 5;
  bool are_told() const { return up >= kLeast && down >= kLeast; }
};

inline constexpr std::int64_t kMostWrapBlocks = 256;  // blocks that are looked at; evenly spread, where there are more

// Counts the jumps of a lead in those of its blocks that span the range.
template <class Context>
Wraps wraps_of(Context&, const RecordedLead<Context>& lead, const SignalQuality& quality, double sample_rate_hz);

}  // namespace beatscan
