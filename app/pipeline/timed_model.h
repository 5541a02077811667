// app/pipeline/timed_model.h — the model of a recording: trained on its beats, or a saved one; timed.
#pragma once

#include "app/output/run_result.h"
#include "stages/model/vae.h"

namespace beatscan {

class Log;
class StageTimer;
struct Config;
struct RunRequest;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct OpenedRecording;
template <class Context>
struct Rows;

// Returns whether a recording has too few beats for its own model. The method published cannot score without one.
bool has_few_beats(const BeatFacts& beats, const Config& config);

// Trains a model, or takes the saved one of the request. For a recording of few beats, returns a model without
// exists().
template <class Context>
VaeResult trained_or_saved(Context&, const Rows<Context>& rows, bool few_beats, const RunRequest& request,
                           const OpenedRecording<Context>& opened, StageTimer& timer, Log& log);

// Returns the description of the model for the result.
template <class Context>
ModelFacts model_facts(VaeResult trained, const RowScores& row_scores, const EmbeddedBeats<Context>& embedded,
                       const RunRequest& request);

// Returns why a recording of few beats has no model.
ModelFacts no_model(const BeatFacts& beats, const Config& config);

}  // namespace beatscan
