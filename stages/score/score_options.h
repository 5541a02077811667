// stages/score/score_options.h — options of the ranking of beats.
#pragma once

#include <optional>

namespace beatscan {

// See score.h for their meaning.
struct ScoreOptions {
  double threshold_deviations = 6;                                 // a beat with a higher score is anomalous
  std::optional<double> threshold_fraction;                        // share of anomalous beats; replaces the above
  double median_weight = 1, nearest_weight = 1, model_weight = 0;  // weights of the distances; not all 0
  double learned_weight = 3;    // of the class posteriors; 0: the score is that of unsupervised parts alone
  double nearest_share = 0.1;   // share of the reference beats that are the nearest
  int model_beats = 16;         // number of dominant beats around a beat
  double typical_spread = 0.7;  // typical spread of log(e + 0.001)
  // A saved model does not fit if the drift (drift.h) is above this. The other half of the model's own recording had at
  // most 0.19; five of six other recordings had more (docs/accuracy.md).
  double most_drift = 0.25;
};

}  // namespace beatscan
