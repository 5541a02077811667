// stages/windows/row_options.h — options of beat windows, their noise, and the prematurity of beats.
#pragma once

#include <cstdint>

namespace beatscan {

// See centred_beats.h for their meaning.
struct RowOptions {
  double before_s = 0.150, after_s = 0.300;  // a row covers the signal from before to after the R peak
  double low_hz = 0.5, high_hz = 40;         // band, -3 dB: leaves out baseline wander and muscle noise
  std::int64_t points = 256;                 // D
  int reference_beats = 512;                 // R: number of regular beats, evenly spread, that show what is normal
};

// See rhythm.h for their meaning.
struct RhythmOptions {
  int reference_beats = 150;        // number of RR intervals on either side that the reference is taken over
  double reference_quantile = 0.6;  // above the median, so that runs of premature beats do not pull the reference down
  int local_beats = 30;             // number of RR intervals on either side that the local reference is taken over
  double local_share = 0.25;        // weight of the score against the local reference; the rest is the other's
  double cap = 6;                   // largest value of either z
  double prev_weight = 1;           // weight of the term for a premature beat
  double next_weight = 0.5;         // weight of the term for a pause after the beat
  double pause_s = 2, pause_ratio = 1.8;  // a pause has at least this length, and this ratio to the reference
  double pause_weight = 1.05;    // weight of the term for a beat after a pause, which is abnormal by that alone
  double typical_spread = 0.05;  // spread of log RR that is blended with the recording's own
  double regular = 0.15;         // largest |log(RR / local median)| of a regular beat, before and after it
};

// See noise.h for their meaning.
struct NoiseOptions {
  double band_hz = 40;     // centre of the band in which noise is measured; T waves and wide QRS complexes are below it
  double after_s = 0.160;  // up to this time after an R peak the signal is the QRS complex, not noise
  double before_s = 0.120;  // from this time before an R peak on the signal is P wave or QRS complex, not noise
  double reach_s = 2.5;     // time on either side of a beat in which its noise is measured
  double most = 8;          // largest factor; 1 leaves noise out of the score
};

struct EmbeddingOptions {
  RowOptions rows;
  RhythmOptions rhythm;
  NoiseOptions noise;
};

}  // namespace beatscan
