// stages/beats/centred_beats.h — cuts beats into rows around their R peaks, on the scale of the recording's own median
// beat.
//
//   beat    the band-passed signal around an R peak at D points, from before_s before it to after_s behind it
//   median  the median of trusted beats, point by point, less its mean and divided by `amplitude`
//   row     ((beat - its mean) / amplitude - median) / spread
// B rows of D points, R reference beats. Beats are kept unless they touch missing samples.
#pragma once

#include "stages/beats/beat_list.h"
#include "stages/beats/rhythm.h"
#include "stages/common/rows.h"

namespace beatscan {

struct RowOptions {
  double before_s = 0.150, after_s = 0.300;  // a row covers the signal from before to after the R peak
  double low_hz = 0.5, high_hz = 40;         // band, -3 dB: leaves out baseline wander and muscle noise
  std::int64_t points = 256;                 // D
  int reference_beats = 512;                 // R: number of regular beats, evenly spread, that show what is normal
};

// Some regular beats, which show what is normal in the recording.
template <class Context>
struct ReferenceBeats {
  Buffer<std::int64_t, Context> rows;  // [R] indices of their rows, ascending
  Buffer<float, Context> values;       // [R][D] their rows
  std::vector<float> median;           // [D] the median beat: mean 0, standard deviation 1
  double amplitude = 1;                // standard deviation of the median beat in the input's unit
  double spread = 1;  // root mean square distance of regular beats from the median beat, without the farthest 5 %
};

template <class Context>
struct CentredBeats {
  Rows<Context> rows;  // its trainable rows are the usual ones, see embed_r_peaks
  ReferenceBeats<Context> reference;
  Buffer<float, Context> from_median;              // [B] mean squared difference from the median beat, in its variance
  Buffer<std::uint8_t, Context> trusted, regular;  // [B] 1 for trusted (BeatBuffers) and regular (RhythmBuffers) beats
  Buffer<std::int64_t, Context> measured;          // rows of some regular beats, from which scales are worked out
};

// Makes the rows. A row is usual if its beat is regular and not among the 5 % of regular beats that are farthest from
// the median beat. Throws ErrorKind::unanalysable if there are no two regular beats, or if the median beat is flat or
// has an amplitude that float32 cannot work with.
template <class Context>
CentredBeats<Context> embed_r_peaks(Context&, const Recording<Context>& recording, const BeatBuffers<Context>& beats,
                                    const RhythmBuffers<Context>& rhythm, const RowOptions& options,
                                    double sample_rate_hz);

}  // namespace beatscan
