// stages/windows/centred_beats.h — cuts beats into rows around their R peaks, on the scale of the recording's own
// median beat.
//
//   beat    the band-passed signal around an R peak at D points, from before_s before it to after_s after it
//   median  the median of some of the beats `for_median`, point by point, minus its mean and divided by `amplitude`
//   row     ((beat - its mean) / amplitude - median) / spread
// B rows of D points, R reference beats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"

namespace beatscan {

struct NoiseOptions;
struct RowOptions;

// Regular beats that show what is normal in the recording.
template <class Context>
struct ReferenceBeats {
  Buffer<std::int64_t, Context> rows;  // [R] indices of their rows, ascending
  Buffer<float, Context> values;       // [R][D] their rows
  std::vector<float> median;           // [D] the median beat: mean 0, standard deviation 1
  double amplitude = 1;                // standard deviation of the median beat in the input's unit
  double spread = 1;  // root mean square distance of regular beats from the median beat, without the farthest 5 %
};

// Returns how far a lead's beats stand out of its noise, 1 / (1 + (spread / 2)^4), 1e-9 at least. Leads with beats have
// a spread of 0.1 to 1, and of 2 in much noise. A lead of noise alone has one of 10 or more, since its median beat is
// averaged noise: the lead's evidence on single beats, or on means of a few, is noise.
double clearness(double spread);

// The beats of one lead as rows.
template <class Context>
struct CentredBeats {
  Buffer<float, Context> rows;  // [B][D]
  ReferenceBeats<Context> reference;
  Buffer<float, Context> from_median;   // [B] mean squared difference from the median beat, in its variance
  Buffer<std::int32_t, Context> usual;  // [U] rows of dominant beats, ascending
};

// The beats at which rows are cut from a lead.
template <class Context>
struct BeatsOfLead {
  Buffer<double, Context> r_peaks;                    // [B] samples, ascending
  Buffer<std::uint8_t, Context> for_median, regular;  // [B] regular beats are trusted ones; two at least
};

// Makes the rows and puts them into `rows`, [B][D]. A beat is dominant if it is regular and not among the 5 % of
// regular beats that are farthest from the median beat. Throws ErrorKind::unanalysable if the median beat is flat or
// has an amplitude that float32 cannot represent.
//   signal  [N] of the lead, gaps bridged
template <class Context>
CentredBeats<Context> embed_r_peaks(Context&, std::span<const float> signal, const BeatsOfLead<Context>& beats,
                                    const RowOptions& options, double sample_rate_hz, std::span<float> rows);

// How far noise moves the rows of normal beats away from the median beat: a factor for each beat, 1 in a clean lead.
//
//   factor = min(sqrt(max(power / typical power, 1) max(range / (2 typical range), 1)), most)
//   power  mean square of the signal between beats, in a band above that of T waves, within reach_s of the beat
//   range  range of five means over 0.6 s around the beat: how far the baseline moves
// The typical values are medians over the regular beats. A distance is divided by the factor before it becomes a score
// (score.h), so that a normal beat in noise is not an atypical beat.

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
