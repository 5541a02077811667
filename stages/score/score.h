// stages/score/score.h — scores beats by errors and distances, and decides which of them are anomalous.
//
// rank_beats is for rows around R peaks. A beat is abnormal by its shape or by its time:
//   score    = waveform + rhythm, where a waveform below 0 counts a fiftieth; add_kind_part adds what kinds tell
//   waveform = weighted mean of z(log(d + 0.001)) over three distances d of a beat
//   d        mean over the leads of e / noise, weighted by 1 / (spread^2 + 0.02): a lead whose normal beats are alike
//            says more than one in which they differ. A lead counts where it has signal
//   e        distance in one lead
//   noise    how far noise carries a normal beat there, 1 in a clean lead, see noise.h
//   rhythm   see rhythm.h
//   z(x)     = (x - median) / (mean of 1.4826 MAD and typical_spread), median and MAD over the regular beats
// The distances in a lead are in units of its median beat's variance:
//   median   from the recording's median beat, scaled by 0.8 to 1.25 to fit the beat
//   nearest  from the nearest tenth of the reference beats, as a recording may have several normal shapes
//   model    from what the model decodes from the latents of the usual beats around it
// The baseline is a simpler score to compare with: z(log(d + 0.001)) + rhythm, where e is the distance from the median
// beat as it is, and noise is left out.
//
// score_beats is for the rows of the published method, which has no score of its own:
//   score = (log(loss) - median) / (1.4826 MAD)     median and MAD of log(loss) over the training beats
//   loss  = reconstruction error + kl_weight * KL   as in training, but with z = mu
// Losses are positive and spread over orders of magnitude, so they are compared on a logarithmic scale. The scale is
// robust because the beats that are looked for are themselves among the training beats.
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
enum class Kind : std::uint8_t;
struct ScoreOptions;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct RowScoreBuffers;

// Scores the rows of the published method by the model's losses. `split` tells which of them are training beats.
BeatScores score_beats(const RowScores& rows, const std::vector<Split>& split, double kl_weight,
                       const ScoreOptions& options);

// Scores beats around R peaks. `row_scores` are those of the rows of all leads by `model`. Without a model (see
// VaeModel::exists) its part is left out, and `row_scores` are not looked at. Throws ErrorKind::unanalysable where the
// other parts have no weight.
template <class Context>
Ranking rank_beats(Context&, const EmbeddedBeats<Context>& embedded, const VaeModel& model,
                   const RowScoreBuffers<Context>& row_scores, const ScoreOptions& options);

// Returns the part for a recording. It is larger where there are few beats, such as in 10 s with a run of V beats. The
// most common beats may be the abnormal ones there, so that a comparison with the recording's own beats shows less than
// the rules of kinds. In 220 windows of 10 s of 22 records 84 % of the V beats were called V, and without this part 45
// % were above the threshold.
KindPart kind_part_of(bool few_beats, const ScoreOptions& options);

// Adds the part to the scores of beats of kind V and S, and decides anew which beats are anomalous.
//   kinds, noise  [B] noise as in Ranking
//   trusted       [B] as in rank_beats; needed for threshold_fraction only
void add_kind_part(BeatScores& scores, std::span<const Kind> kinds, std::span<const float> noise, const KindPart& part,
                   const std::vector<std::uint8_t>& trusted, const ScoreOptions& options);

// A latent is active if the variance of its mu is above this (Burda et al. 2016).
inline constexpr double kActiveVariance = 0.01;

// Diagnoses the model by its test beats, or by its training beats if there are no test beats.
ModelDiagnosis diagnose(const RowScores& rows, const VaeTraining& training, int latents);

}  // namespace beatscan
