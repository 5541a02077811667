// stages/rows/noise.h — how far noise carries the rows of normal beats from the median beat: a factor for each beat, 1
// in a clean lead.
//
//   factor = min(sqrt(max(power / usual power, 1) max(range / (2 usual range), 1)), most)
//   power  mean square of the signal between beats, in a band above that of T waves, within reach_s of the beat
//   range  range of five means over 0.6 s around the beat: how far the baseline moves
// The usual values are medians over the regular beats. A distance is divided by the factor before it becomes a score
// (score.h), so that a normal beat in noise is not an odd beat.
#pragma once

#include "stages/beats/beat_list.h"

namespace beatscan {

struct NoiseOptions {
  double band_hz = 40;     // centre of the band in which noise is measured; T waves and wide QRS complexes are below it
  double after_s = 0.160;  // up to this time after an R peak the signal is QRS complex and no noise
  double before_s = 0.120;  // from this time before an R peak on the signal is P wave or QRS complex and no noise
  double reach_s = 2.5;     // time on either side of a beat in which its noise is measured
  double most = 8;          // largest factor; 1 leaves noise out of the score
};

// The scale that noise is measured against.
template <class Context>
struct NoiseScale {
  Buffer<std::int64_t, Context> measured;  // rows of some regular beats
  double amplitude;                        // amplitude of the lead's median beat
};

// A lead with its beats, between which it should rest.
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
