// stages/rows.h — beats as rows around their R peaks, on the scale of the recording's own median beat.
#pragma once

#include "stages/detect.h"
#include "stages/embed.h"
#include "stages/rhythm.h"

namespace beatscan {

struct RowOptions {
  double before_s = 0.150, after_s = 0.300;  // what a row covers, around the R peak
  double low_hz = 0.5, high_hz = 40;         // band, -3 dB: baseline wander and muscle noise are left out
  std::int64_t points = 256;
  int reference_beats = 512;  // so many regular beats, evenly spread, stand for what is normal in the recording
};

// Beats on the host, before they are rows.
struct BeatList {
  std::vector<double> r_peaks;        // [K] samples
  std::vector<Quality> quality;       // [K] of the block of signal that the R peak is in
  std::vector<Fate> fates;            // [K] in_gap where the row touches missing samples, else kept
  std::vector<std::uint8_t> trusted;  // [K] kept, and in good signal
  std::vector<std::uint8_t> broken;   // [K - 1] between this R peak and the next are missing samples or a flat stretch
};

// Marks blocks of missing samples in the detection's quality.
template <class Context>
BeatList list_beats(Context&, const Recording<Context>& recording, Detection<Context>& detection,
                    const RowOptions& options, double sample_rate_hz);

// What is normal in the recording: some of its regular beats.
struct ReferenceBeats {
  std::vector<std::int32_t> rows;  // [R] ascending
  std::vector<float> values;       // [R][D] their rows
  std::vector<float> median;       // [D] over trusted beats, point by point, less its mean; its standard deviation is 1
  double amplitude = 1;            // standard deviation of the median beat in the input's unit
  double spread = 1;               // of beats around the median beat: root mean square of all but the farthest 5 %
};

// Rows are residuals: (beat - its mean) / amplitude = median + spread * row.
template <class Context>
struct CentredBeats {
  Rows<Context> rows;  // trainable are the usual ones
  ReferenceBeats reference;
  std::vector<float> from_median;              // [B] mean squared difference from the median beat, in its variance
  std::vector<std::uint8_t> trusted, regular;  // [B]
};

// Usual: regular, and not of the 5 % of regular beats that are farthest from the median beat. Throws
// Status::unanalysable where there are no two beats in good signal.
template <class Context>
CentredBeats<Context> embed_r_peaks(Context&, const Recording<Context>& recording, const BeatList& beats,
                                    const Rhythm& rhythm, const RowOptions& options, double sample_rate_hz);

}  // namespace beatscan
