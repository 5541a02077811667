// stages/rhythm/rhythms.h — rhythms by a model, from the beat table and the posteriors of beat classes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/rhythm/decode_states.h"

namespace beatscan {

template <class Context>
class FeatureTable;

// The trained model of rhythms. scripts/train_rhythm makes it, scripts/rhythm/model.py defines the file format, and
// docs/rhythm_model.md has the figures.

// A statistic of a measure over a beat and `reach` beats on either side, without the values that do not exist.
struct RhythmFeature {
  std::string measure;    // measures.h
  std::string statistic;  // mean, least, most or deviation
  int reach;
};

// Multinomial logistic regression over standardised features: S states, F features.
struct RhythmRegression {
  std::vector<RhythmFeature> features;
  std::vector<float> mean, deviation;  // [F]
  std::vector<float> weight;           // [S][F]
  std::vector<float> intercept;        // [S]
  std::vector<double> training_prior;  // [S]
};

// The decoder's numbers for a source of recordings (strip, holter, monitor).
struct RhythmSource {
  std::vector<double> prior;               // [S], sums to 1
  double temperature;                      // weight of a beat: neighbouring beats share their errors
  double balance;                          // share of the training prior that is subtracted from each beat
  double stay;                             // probability that a rhythm continues, besides that of its being drawn again
  double prior_beats;                      // weight of `prior` where the recording's own is estimated
  int rounds;                              // of estimating it
  std::vector<std::uint8_t> decides = {};  // [S] 1 for rhythms whose figures out of fold earn an episode
};

// Where a recording comes from, which determines how common its rhythms are. `automatic`: by its length.
enum class RecordingSource { automatic, strip, holter, monitor };
inline constexpr int kRecordingSources = 3;  // besides `automatic`

// How rhythms are recognised in one kind of table.
struct RhythmRecogniser {
  RhythmRegression regression;
  std::array<RhythmSource, kRecordingSources> sources;  // strip, holter, monitor
};

struct RhythmModel {
  std::vector<std::string> states;  // [S]
  RhythmRecogniser waves;           // for tables with waves
  RhythmRecogniser intervals;       // for tables of RR intervals alone
  double strip_s;                   // `automatic`: a recording that is not longer is a strip, and else of a Holter
  double confidence_temperature;
};

// The most probable sequence of rhythms: a rhythm continues with probability `stay`, or else one is drawn from the
// prior of the source, which is estimated again in the recording (kernels/rhythm/decode_states.h).
using DecodedRhythms = DecodedStates;

// A stretch of the same rhythm.
struct RhythmSegment {
  double start_s, end_s;  // halfway between R peaks
  int state;              // place in RhythmModel::states
  double confidence;      // probability that the label is right, by the regression's probabilities
};

// Returns the rhythms of a recording by waves and intervals, or by intervals alone (no finite p_evidence).
//   posteriors  [K][4] of N, S, V and X, or empty
//   duration_s  of the recording, which determines its source if that is `automatic`
template <class Context>
DecodedRhythms rhythms_of(Context&, const FeatureTable<Context>& table, std::span<const float> posteriors,
                          const RhythmModel& model, RecordingSource source, double duration_s);

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
template <class Context>
Rhythms recognised_rhythms(Context&, const FeatureTable<Context>& table, std::span<const float> posteriors,
                           std::span<const double> r_peaks, double sample_rate_hz, double duration_s,
                           const RhythmModel& model, RecordingSource source);

}  // namespace beatscan
