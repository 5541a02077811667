// app/pipeline/timed_ranking.h — scores, classes and rhythm of a recording's beats; each stage is timed.
#pragma once

#include "stages/model/vae_output.h"

namespace beatscan {

class StageTimer;
class VaeModel;
struct Config;
struct RunResult;
struct Models;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct Recording;

// Returns whether beats are scored without the model, which is then needed only for their latents.
bool ranks_without_model(const Config& config);

// Fills scored, ranks and, with method r_peaks, findings, waves, rhythm and report.templates of the result. Needs the
// input's facts and the beats, and reads no other part of the result that it does not fill. Without a model
// (VaeModel::exists) `scored.rows` stays empty: timed_row_scores() computes them.
template <class Context>
void rank_beats_of(Context&, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                   const VaeModel& model, const VaeTraining& training, const Models& models, const Config& config,
                   RunResult& result, StageTimer& timer);

// Returns the errors and latents of the rows by a model of method r_peaks; NaN without a model.
template <class Context>
RowScores timed_row_scores(Context&, const EmbeddedBeats<Context>& embedded, const VaeModel& model,
                           std::int64_t latents, StageTimer& timer);

}  // namespace beatscan
