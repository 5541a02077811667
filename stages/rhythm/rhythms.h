// stages/rhythm/rhythms.h — rhythms by a model, from the beat table and the posteriors of beat classes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stages/rhythm/decoder.h"
#include "stages/rhythm/rhythm_model.h"

namespace beatscan {

struct BeatFeatures;

// A stretch of the same rhythm.
struct RhythmSegment {
  double start_s, end_s;  // halfway between R peaks
  int state;              // place in RhythmModel::states
  double confidence;      // probability that the label is right, by the regression's probabilities
};

// Returns log probabilities of the states at each beat, [K][S]. A feature that does not exist counts as its mean.
// Throws ErrorKind::input if the model reads a measure that is unknown.
std::vector<float> rhythm_log_p(const BeatFeatures& table, std::span<const float> posteriors,
                                const RhythmRegression& regression);

// Returns the rhythms of a recording by waves and intervals, or by intervals alone (no finite p_evidence).
//   posteriors  [K][4] of N, S, V and X, or empty
//   duration_s  of the recording, which determines its source if that is `automatic`
DecodedRhythms rhythms_of(const BeatFeatures& table, std::span<const float> posteriors, const RhythmModel& model,
                          RecordingSource source, double duration_s);

// Returns the stretches of the same state.
//   r_peaks_s  [K] ascending
std::vector<RhythmSegment> rhythm_segments(const DecodedRhythms& decoded, std::span<const double> r_peaks_s,
                                           double duration_s, double confidence_temperature);

// The rhythms of a recording.
struct Rhythms {
  std::vector<std::string> states;    // [S] of the model
  std::vector<std::uint8_t> decides;  // [S] 1 for those that the model decides
  std::vector<RhythmSegment> segments;
};

// Returns the rhythms of K beats in a recording of `duration_s`.
//   r_peaks  [K] samples, ascending
Rhythms recognised_rhythms(const BeatFeatures& table, std::span<const float> posteriors,
                           std::span<const double> r_peaks, double sample_rate_hz, double duration_s,
                           const RhythmModel& model, RecordingSource source);

}  // namespace beatscan
