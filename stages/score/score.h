// stages/score/score.h — from errors and distances to a ranking, and from a ranking to a decision.
//
// Around R peaks (rank_beats) a beat is abnormal by its shape or by its time:
//   score    = waveform + rhythm
//   waveform = weighted mean of z(log(e + 0.001)) over three distances e of a beat, in units of the median beat's
//   variance:
//     median       from the recording's median beat, free in size
//     nearest      from the nearest tenth of the reference beats: a recording may have several normal shapes
//     model        from what the model decodes from the latents of the usual beats around it
//   rhythm   see rhythm.h
//   z(x)     = (x - median) / (mean of 1.4826 MAD and a typical spread), median and MAD over the regular beats
// Baseline, to compare with: z(log(e + 0.001)) + rhythm, where e is the plain distance from the median beat.
//
// The published method has no score of its own; ours for it (score_beats): a beat's loss is its reconstruction error +
// kl_weight * KL, as in training but with z = mu. Losses are positive and spread over orders of magnitude, so they are
// compared on a logarithmic scale, and robustly, because the training beats contain the very beats that are looked for:
//   score = (log(loss) - median) / (1.4826 MAD)     median and MAD of log(loss) over the training beats
//
// Threshold, of either: threshold_deviations; or, with threshold_fraction, the (1 - fraction) quantile of the scores of
// the training (rank_beats: trusted) beats.
#pragma once

#include <optional>
#include <vector>

#include "stages/beats/centred_beats.h"
#include "stages/vae/vae.h"

namespace beatscan {

struct ScoreOptions {
  double threshold_deviations = 6;                                 // anomalous above this score
  std::optional<double> threshold_fraction;                        // instead: the share of beats to be above it
  double median_weight = 1, nearest_weight = 1, model_weight = 1;  // of the distances; not all 0
  double nearest_share = 0.1;                                      // how many of the reference beats are the nearest
  int model_beats = 16;                                            // so many usual beats around a beat
  double typical_spread = 0.7;                                     // of log(e + 0.001)
};

struct BeatScores {
  std::vector<float> score;             // [B]
  std::vector<std::uint8_t> anomalous;  // [B] score > threshold
  double threshold = 0;
  std::int64_t anomalous_count = 0;
};

BeatScores score_beats(const RowScores& rows, const std::vector<Split>& split, double kl_weight,
                       const ScoreOptions& options);

// A ranking with its reasons, and the one it is to be compared with.
struct Ranking {
  BeatScores scores, baseline;
  std::vector<float> waveform, rhythm;  // [B] the two parts of the score
  RowScores rows;                       // [B] those given, on the host
};

template <class Context>
Ranking rank_beats(Context&, const CentredBeats<Context>& embedded, const RhythmBuffers<Context>& rhythm,
                   const VaeModel& model, const RowScoreBuffers<Context>& row_scores, const ScoreOptions& options);

inline constexpr double kActiveVariance = 0.01;  // of a latent's mean (Burda et al. 2016)

// Does the model say more than the mean beat does?
struct ModelDiagnosis {
  int active_latents = 0;               // with a variance of mu over the test beats above kActiveVariance
  std::vector<double> latent_variance;  // [Z]
  double test_error = 0;                // mean reconstruction error of the test beats (z = mu)
  double mean_beat_error = 0;           // what predicting the mean training beat gives on them
  double explained = 0;                 // 1 - test_error / mean_beat_error
  bool collapsed = false;               // no latent is active, or fewer than 1 % is explained
};

// Over the test beats; over the training beats where there are none.
ModelDiagnosis diagnose(const RowScores& rows, const VaeTraining& training, int latents);

}  // namespace beatscan
