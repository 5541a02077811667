// app/pipeline/timed_stages.h — the stages of a recording after reading, with the configured method; each is timed.
#pragma once

#include <optional>

#include "app/output/run_result.h"
#include "stages/model/vae.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {

class Log;
class StageTimer;
struct Config;
struct Models;
struct RunRequest;
template <class Context>
struct OpenedRecording;
template <class Context>
struct Recording;

// Beats and their windows.
template <class Context>
struct TimedBeats {
  BeatFacts facts;  // on the host
  EmbeddedBeats<Context> embedded;
  SavedResponse response;  // empty without `save_response`
};

// Detects beats and cuts their windows. The method r_peaks needs a rate; its noise is that of the signal-quality index.
// `save_response` copies the curve whose peaks are beats to the host.
template <class Context>
TimedBeats<Context> timed_beats(Context&, const Recording<Context>& recording, const QualityIndex& index,
                                const Config& config, std::optional<double> sample_rate_hz, bool save_response,
                                StageTimer& timer);

// What model and ranking read: a recording with its beats. It refers to them.
template <class Context>
struct DetectedBeats {
  const OpenedRecording<Context>& opened;
  const InputFacts& input;
  const QualityIndex& index;
  const BeatFacts& beats;
  const EmbeddedBeats<Context>& embedded;
  const Models& models;
  const RunRequest& request;
};

// Trains a model, or takes the saved one of the request. For a recording of few beats, returns a model without
// exists(). The method published cannot score without one.
template <class Context>
VaeResult trained_or_saved(Context&, const DetectedBeats<Context>& detected, StageTimer& timer, Log& log);

// Returns the errors and latents of the rows by a model of method r_peaks; NaN without a model.
template <class Context>
RowScores timed_row_scores(Context&, const DetectedBeats<Context>& detected, const VaeModel& model, StageTimer& timer);

// Returns the description of the model for the result, or why a recording of few beats has none.
template <class Context>
ModelFacts model_facts(VaeResult trained, const RowScores& row_scores, const DetectedBeats<Context>& detected);

// Returns whether beats are scored without the model, which is then needed only for their latents.
bool ranks_without_model(const Config& config);

// Returns the scores and, with method r_peaks, classes, waves, rhythm, ranks and the templates' shapes. Without a model
// (VaeModel::exists) `scored.rows` stays empty: timed_row_scores() computes them.
template <class Context>
BeatAnalysis analysed_beats(Context&, const DetectedBeats<Context>& detected, const VaeModel& model,
                            const VaeTraining& training, StageTimer& timer);

}  // namespace beatscan
