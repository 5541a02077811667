// stages/rhythm_model/rhythms.h — rhythms by a model, from the beat table and the posteriors of beat classes.
#pragma once

#include <span>
#include <vector>

#include "stages/rhythm_model/decoder.h"
#include "stages/rhythm_model/rhythm_model.h"

namespace beatscan {

struct BeatFeatures;

// A stretch of the same rhythm.
struct RhythmSegment {
  double start_s, end_s;  // halfway between R peaks
  int state;              // place in RhythmModel::states
  double confidence;      // probability that the label is right, by the regression's probabilities
};

// Returns log probabilities of the states at each beat, [K][S]. A feature that does not exist counts as its mean.
// Throws ErrorKind::input where the model reads a measure that is unknown.
std::vector<double> rhythm_log_p(const BeatFeatures& table, std::span<const float> posteriors,
                                 const RhythmRegression& regression);

// Returns the rhythms of a recording of which the waves are known, or the intervals alone (no finite p_evidence).
//   posteriors  [K][4] of N, S, V and X, or empty
DecodedRhythms rhythms_of(const BeatFeatures& table, std::span<const float> posteriors, const RhythmModel& model,
                          const RhythmSource& source);

// Returns the stretches of the same state.
//   r_peaks_s  [K] ascending
std::vector<RhythmSegment> rhythm_segments(const DecodedRhythms& decoded, std::span<const double> r_peaks_s,
                                           double duration_s, double confidence_temperature);

}  // namespace beatscan
