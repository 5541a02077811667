// kernels/detection/step_signs.h — whether one lead shows a step near some R peaks: stages/findings/steps.h tells what
// a step is. Beyond its ends a lead keeps its end values.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// What a lead shows near an R peak. little: it changes by less than a beat would make it change.
enum class StepSign : std::uint8_t { step, little, much };

struct StepRule {
  std::int64_t step, near;  // samples: time of a step, and from the R peak to its first and last sample; step <= near
  std::int64_t before, after;   // samples that are looked at before and after the step
  double of_range;              // least share of the range that the step is
  double beside;                // greatest share of the step that other changes are
  double of_usual, like_usual;  // shares of the usual change: a step is above the first, `much` above the second
};

// Returns the largest |x[n + step] - x[n]| with n within `near` samples of each of K places.
//   samples  [N] x, N > 0
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
