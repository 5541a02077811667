// stages/rhythm/rhythm_model.h — the trained model of rhythms. scripts/train_rhythm makes it,
// scripts/rhythm/model.py defines the file format, and docs/rhythm_model.md has the figures.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace beatscan {

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

}  // namespace beatscan
