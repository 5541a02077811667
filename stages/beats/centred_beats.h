// stages/beats/centred_beats.h — beats as rows around their R peaks, on the scale of the recording's own median beat.
#pragma once

#include "stages/beats/beat_list.h"
#include "stages/beats/rhythm.h"
#include "stages/common/rows.h"

namespace beatscan {

struct RowOptions {
  double before_s = 0.150, after_s = 0.300;  // what a row covers, around the R peak
  double low_hz = 0.5, high_hz = 40;         // band, -3 dB: baseline wander and muscle noise are left out
  std::int64_t points = 256;
  int reference_beats = 512;  // so many regular beats, evenly spread, stand for what is normal in the recording
};

// What is normal in the recording: some of its regular beats.
template <class Context>
struct ReferenceBeats {
  Buffer<std::int64_t, Context> rows;  // [R] ascending
  Buffer<float, Context> values;       // [R][D] their rows
  std::vector<float> median;  // [D] over trusted beats, point by point, less its mean; its standard deviation is 1
  double amplitude = 1;       // standard deviation of the median beat in the input's unit
  double spread = 1;          // of beats around the median beat: root mean square of all but the farthest 5 %
};

// Rows are residuals: (beat - its mean) / amplitude = median + spread * row.
template <class Context>
struct CentredBeats {
  Rows<Context> rows;  // trainable are the usual ones
  ReferenceBeats<Context> reference;
  Buffer<float, Context> from_median;              // [B] mean squared difference from the median beat, in its variance
  Buffer<std::uint8_t, Context> trusted, regular;  // [B]
  Buffer<std::int64_t, Context> measured;          // some regular rows, which scales are taken over
};

// Usual: regular, and not of the 5 % of regular beats that are farthest from the median beat. Throws
// ErrorKind::unanalysable where there are no two beats in good signal.
template <class Context>
CentredBeats<Context> embed_r_peaks(Context&, const Recording<Context>& recording, const BeatBuffers<Context>& beats,
                                    const RhythmBuffers<Context>& rhythm, const RowOptions& options,
                                    double sample_rate_hz);

}  // namespace beatscan
