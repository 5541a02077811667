// kernels/detection/step_signs.h — whether one lead jumps near some R peaks, and stays there for a while.
//
// Let d[n] be x[n + step] - x[n]. The steepest step near an R peak is the first of those with the largest |d[n]| that
// lie within `near` samples of the R peak, first and last sample included; s is its |d|. It is a step of the lead if
//   - s > 0 and s >= of_range (the range of x from `before` samples before its first sample to `after` after its last)
//   - no |d[n]| in these samples is above beside s, but for the |d[n]| of its own sign that overlap with it
//   - s > of_usual usual
// If it is none, the lead shows much where s > like_usual usual, and little elsewhere. Beyond its ends a lead keeps its
// end values.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

enum class StepSign : std::uint8_t { step, little, much };

struct StepRule {
  std::int64_t step;            // samples from the first of a step to its last, 1 or more
  std::int64_t near;            // samples from the R peak, `step` or more
  std::int64_t before, after;   // samples that are looked at beside the step, 0 or more
  double of_range, beside;      // shares of the range and of the step
  double of_usual, like_usual;  // shares of the largest change of a usual beat
};

// Returns the largest |x[n + step] - x[n]| with n within `near` samples of each of K places.
//   samples  [N] x, finite, N > 0
//   places   [K] samples
//   changes  [K]
// A wrong shape throws ErrorKind::internal, here and below.
void largest_changes(Cpu&, std::span<const float> samples, std::span<const std::int64_t> places, std::int64_t step,
                     std::int64_t near, std::span<float> changes);
void largest_changes(Cuda&, std::span<const float> samples, std::span<const std::int64_t> places, std::int64_t step,
                     std::int64_t near, std::span<float> changes);

// Tells what the lead shows near each of K R peaks.
//   usual  the largest change of a usual beat, in the lead's unit
//   signs  [K]
void step_signs(Cpu&, std::span<const float> samples, std::span<const std::int64_t> r_peaks, const StepRule& rule,
                double usual, std::span<StepSign> signs);
void step_signs(Cuda&, std::span<const float> samples, std::span<const std::int64_t> r_peaks, const StepRule& rule,
                double usual, std::span<StepSign> signs);

}  // namespace beatscan
