// kernels/detection/beat_tips.h — how narrow the tip of each beat is in one lead, and what follows it.
//
//   tip     sample of the largest |x[n] - m| within `near` samples of the R peak, m the mean of x there; of equal ones
//           the first
//   base    mean of x from `far` to `gap` samples before the tip, and from `gap` to `far` after it
//   height  |x[tip] - base|
//   beside  the larger of |x[tip - step] - base| and |x[tip + step] - base|
//   behind  range of x from `gap` to `reach` samples after the tip
// All are NaN for a beat that is too near an end of the recording.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

struct BeatTip {
  float height, beside, behind;
};

struct TipRule {
  std::int64_t near, step, gap, far, reach;  // samples, 1 or more; gap < far, gap <= reach
};

// Looks at K beats in one lead.
//   samples  [N]
//   r_peaks  [K] samples
//   tips     [K]
// A wrong shape throws ErrorKind::internal.
void beat_tips(Cpu&, std::span<const float> samples, std::span<const double> r_peaks, const TipRule& rule,
               std::span<BeatTip> tips);
void beat_tips(Cuda&, std::span<const float> samples, std::span<const double> r_peaks, const TipRule& rule,
               std::span<BeatTip> tips);

}  // namespace beatscan
