// stages/windows/noise.h — how far noise moves the rows of normal beats away from the median beat: a factor for each
// beat, 1 in a clean lead.
//
//   factor = min(sqrt(max(power / typical power, 1) max(range / (2 typical range), 1)), most)
//   power  mean square of the signal between beats, in a band above that of T waves, within reach_s of the beat
//   range  range of five means over 0.6 s around the beat: how far the baseline moves
// The typical values are medians over the regular beats. A distance is divided by the factor before it becomes a score
// (score.h), so that a normal beat in noise is not an atypical beat.
#pragma once

#include "kernels/runtime/buffer.h"

namespace beatscan {

struct NoiseOptions;

// The scale that noise is measured against.
template <class Context>
struct NoiseScale {
  Buffer<std::int64_t, Context> measured;  // rows of some regular beats
  double amplitude;                        // amplitude of the lead's median beat
};

// A lead with its beats, between which it should be isoelectric.
template <class Context>
struct LeadPauses {
  std::span<const float> signal;                // [N] gaps bridged
  const Buffer<double, Context>& r_peaks;       // [K]
  const Buffer<std::uint8_t, Context>& broken;  // [K - 1] JudgedBeats::broken in the lead
};

// Returns the factor of each kept beat, [B].
//   kept    [B] beats that have a row
template <class Context>
Buffer<float, Context> noise_of(Context&, const LeadPauses<Context>& lead, const Buffer<std::int64_t, Context>& kept,
                                const NoiseScale<Context>& scale, const NoiseOptions& options, double sample_rate_hz);

}  // namespace beatscan
