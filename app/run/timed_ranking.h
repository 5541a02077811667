// app/run/timed_ranking.h — scores, kinds and rhythm of a recording's beats. The time of each stage is measured.
#pragma once

#include "app/config/config.h"
#include "app/result/run_result.h"
#include "app/run/stage_timer.h"
#include "stages/methods/beats.h"

namespace beatscan {

// Says whether beats are scored without the model, which is then needed for their latents alone.
bool ranks_without_model(const Config& config);

// Returns the errors and latents of rows without a model (VaeModel::exists): NaN.
RowScores no_row_scores(std::int64_t rows, std::int64_t latents);

// Fills `scored` of the result, and around R peaks also findings, doubts, rhythm and the report's templates. It needs
// the input's facts and the beats. Without a model `scored.rows` stays empty.
template <class Context>
void rank_beats_of(Context&, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                   const VaeModel& model, const VaeTraining& training, const Config& config, RunResult& result,
                   StageTimer& timer);

// Returns the errors and latents of the rows by a model around R peaks.
template <class Context>
RowScores timed_row_scores(Context&, const EmbeddedBeats<Context>& embedded, const VaeModel& model, StageTimer& timer);

}  // namespace beatscan
