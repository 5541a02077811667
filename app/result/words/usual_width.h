// app/result/words/usual_width.h — tells whether the usual beat of a recording is itself wide.
#pragma once

#include <cstdint>

namespace beatscan {

// Tells whether the usual shape is wide. In few beats another shape may be the most common one by chance, so that it
// must be wider: in 99 windows of 10 and 30 s of ds1 three shapes are above 150 ms, all ventricular, and the next has
// 137 ms.
//   width_ms  of the mean beat's QRS complex, by its slopes
//   share     of the beats that have this shape
//   beats     that were kept
constexpr bool usual_is_wide(double width_ms, double share, std::int64_t beats) {
  constexpr double kWide_ms = 125, kWideOfFew_ms = 150, kCommonest = 0.5;
  constexpr std::int64_t kFew = 50, kFewest = 5;
  return share >= kCommonest && beats >= kFewest && width_ms >= (beats < kFew ? kWideOfFew_ms : kWide_ms);
}

}  // namespace beatscan
