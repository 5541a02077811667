// kernels/rhythm/interval_noise.h — how restless the signal is in some long RR intervals, and in the intervals around
// them. An electrode that came off picks up mains interference and drifts. A heart that pauses changes neither.
//
//   core   of an interval: from `beside` samples after its first R peak to as many before its second; of an asked one
//          from `behind` samples on. Interval -1 reaches from the start of the recording to the first R peak, and
//          interval K - 1 from the last to the end: they have no R peak, and no margin, there
//   mains  mains interference: mean of |x[n - step] - 2 x[n] + x[n + step]| over a core
//   drift  of an asked interval: range of the means of `piece` samples each in its core
//   usual_mains  median over the cores of the `beats` intervals on either side; NaN where none is 4 steps long
//   usual_drift  the larger range of the means of the cores before, and of those after; NaN where there are not two
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

struct IntervalNoise {
  float mains, usual_mains, drift, usual_drift;
};

inline constexpr int kMostNoiseBeats = 16;  // on either side

struct IntervalNoiseRule {
  double beside, behind;     // samples, 0 or more
  std::int64_t step, piece;  // samples, 1 or more
  int beats;                 // 1 .. kMostNoiseBeats
};

// Looks at some intervals of one lead.
//   samples  [N]
//   r_peaks  [K] samples, ascending
//   asked    [A] -1 .. K - 1
//   found    [A]
// A wrong shape throws ErrorKind::internal.
void interval_noise(Cpu&, std::span<const float> samples, std::span<const double> r_peaks,
                    std::span<const std::int64_t> asked, const IntervalNoiseRule& rule, std::span<IntervalNoise> found);
void interval_noise(Cuda&, std::span<const float> samples, std::span<const double> r_peaks,
                    std::span<const std::int64_t> asked, const IntervalNoiseRule& rule, std::span<IntervalNoise> found);

}  // namespace beatscan
