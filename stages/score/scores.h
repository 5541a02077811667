// stages/score/scores.h — scores of beats, and the options of the ranking.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stages/model/vae_output.h"

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

struct BeatScores {
  std::vector<float> score;             // [B]
  std::vector<std::uint8_t> anomalous;  // [B] score > threshold
  double threshold = 0;
  std::int64_t anomalous_count = 0;
};

// Scores with their reasons, and the baseline to compare them with.
struct Ranking {
  BeatScores scores, baseline;
  std::vector<float> waveform, rhythm;  // [B] the unsupervised parts of the score
  std::vector<float> noise;             // [B] factor that the distance in the lead `lead` was divided by
  std::vector<std::uint8_t> lead;       // [B] the recording's lead that adds most to the distance
  RowScores rows;                       // the row scores that rank_beats was given, on the host
  std::vector<float> learned = {};      // [B] what a classifier adds; empty before score_by_classes
};

// Whether the model explains more than the mean beat does.
struct ModelDiagnosis {
  int active_latents = 0;               // number of active latents
  std::vector<double> latent_variance;  // [Z] variance of mu over the test beats
  double test_error = 0;                // mean reconstruction error of the test beats, decoded from z = mu
  double mean_beat_error = 0;           // the same if each test beat is predicted to be the mean training beat
  double explained = 0;                 // 1 - test_error / mean_beat_error
  bool collapsed = false;               // no latent is active, or less than 1 % is explained
};

}  // namespace beatscan
