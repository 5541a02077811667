// stages/score/score.h — scores beats by errors and distances, and decides which of them are anomalous.
//
// rank_beats is for rows around R peaks. A beat is abnormal by its shape or by its time:
//   score    = waveform + rhythm + learned, where a waveform below 0 counts a fiftieth
//   learned  = learned_weight (odds + 2), where odds = log((p_S + p_V) / (p_N + p_artifact)) of the class posteriors,
//              within -3 .. 9: a beat that is abnormal with a probability of 0.12 keeps its unsupervised score
//   waveform = weighted mean of z(log(d + 0.001)) over three distances d of a beat
//   d        mean over the leads of e / noise, weighted by 1 / (spread^2 + 0.02): a lead whose normal beats are similar
//            has more weight than one in which they differ. A lead counts where it has signal
//   e        distance in one lead
//   noise    how far noise moves a normal beat there, 1 in a clean lead, see noise.h
//   rhythm   see rhythm.h
//   z(x)     = (x - median) / (mean of 1.4826 MAD and typical_spread), median and MAD over the regular beats
// The distances in a lead are in units of its median beat's variance:
//   median   from the recording's median beat, scaled by 0.8 to 1.25 to fit the beat
//   nearest  from the nearest tenth of the reference beats, as a recording may have several normal shapes
//   model    from what the model decodes from the latents of the dominant beats around it
// The baseline is a simpler score to compare with: z(log(d + 0.001)) + rhythm, where e is the distance from the
// unscaled median beat, and noise is left out.
//
// score_beats is for the rows of the published method, which has no score of its own:
//   score = (log(loss) - median) / (1.4826 MAD)     median and MAD of log(loss) over the training beats
//   loss  = reconstruction error + kl_weight * KL   as in training, but with z = mu
// Losses are positive and spread over orders of magnitude, so they are compared on a logarithmic scale. The scale is
// robust because the abnormal beats are themselves among the training beats.
//
// The threshold of both scores is threshold_deviations. If threshold_fraction is given, it is the (1 - fraction)
// quantile of the scores of the training beats, or in rank_beats of the trusted beats.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stages/score/scores.h"

namespace beatscan {

class VaeModel;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct RowScoreBuffers;

// Scores the rows of the reference pipeline by the model's losses. `split` marks the training beats.
BeatScores score_beats(const RowScores& rows, const std::vector<Split>& split, double kl_weight,
                       const ScoreOptions& options);

// Scores beats around R peaks. `row_scores` are those of the rows of all leads by `model`. Without a model (see
// VaeModel::exists) its part is left out, and `row_scores` are ignored. Throws ErrorKind::unanalysable if the other
// parts have no weight.
template <class Context>
Ranking rank_beats(Context&, const EmbeddedBeats<Context>& embedded, const VaeModel& model,
                   const RowScoreBuffers<Context>& row_scores, const ScoreOptions& options);

// Returns the learned score of a beat.
//   posteriors  [4] of N, S, V and of a false detection
float learned_score(const float* posteriors, const ScoreOptions& options);

// Adds learned scores, and decides again which beats are anomalous.
//   learned  [B]
//   trusted  [B] as in rank_beats; needed for threshold_fraction only
void add_learned_scores(BeatScores& scores, std::span<const float> learned, const std::vector<std::uint8_t>& trusted,
                        const ScoreOptions& options);

// A latent is active if the variance of its mu is above this (Burda et al. 2016).
inline constexpr double kActiveVariance = 0.01;

// Diagnoses the model by its test beats, or by its training beats if there are no test beats.
ModelDiagnosis diagnose(const RowScores& rows, const VaeTraining& training, int latents);

}  // namespace beatscan
