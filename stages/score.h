// stages/score.h — from errors to a ranking, and from a ranking to a decision.
//
// A beat's loss is its reconstruction error + kl_weight * KL, as in training but with z = mu. Losses are positive and
// spread over orders of magnitude, so they are compared on a logarithmic scale, and robustly, because the training
// beats contain the very beats that are looked for:
//   score = (log(loss) - median) / (1.4826 MAD)     median and MAD of log(loss) over the training beats
// A score is thus in standard deviations of the bulk of the training beats. Rule for the threshold:
//   robust (default)  threshold_deviations
//   a fraction        the (1 - fraction) quantile of the training beats' scores
#pragma once

#include <optional>
#include <vector>

#include "stages/vae.h"

namespace beatscan {

struct ScoreOptions {
  double threshold_deviations = 5;           // anomalous above this score
  std::optional<double> threshold_fraction;  // instead: the share of training beats to be above it
};

struct BeatScores {
  std::vector<float> score;             // [B]
  std::vector<std::uint8_t> anomalous;  // [B] score > threshold
  double threshold = 0;
  std::int64_t anomalous_count = 0;
};

BeatScores score_beats(const RowScores& rows, const std::vector<std::uint8_t>& in_train, double kl_weight,
                       const ScoreOptions& options);

// Does the model say more than the mean beat does?
struct ModelDiagnosis {
  int active_latents = 0;               // with a variance of mu over the test beats above 0.01 (Burda et al. 2016)
  std::vector<double> latent_variance;  // [Z]
  double test_error = 0;                // mean reconstruction error of the test beats (z = mu)
  double mean_beat_error = 0;           // what predicting the mean training beat gives on them
  double explained = 0;                 // 1 - test_error / mean_beat_error
  bool collapsed = false;               // no latent is active, or fewer than 1 % is explained
};

// Over the test beats; over all where there are none.
ModelDiagnosis diagnose(const RowScores& rows, const VaeTraining& training, int latents);

}  // namespace beatscan
