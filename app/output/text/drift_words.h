// app/output/text/drift_words.h — texts on how well a saved model fits a recording (stages/score/drift.h).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/common/json.h"

namespace beatscan {

struct RunResult;

// Returns the drift with its parts, or why it is unknown; null if the model was trained in this run.
Json drift_json(const RunResult& result);

// Returns a warning if a saved model does not fit the recording, or may not. Empty if it fits, if the model was trained
// in this run, and if the scores do not depend on the model.
std::string drift_warning(const RunResult& result);

}  // namespace beatscan
