// app/result/words/drift_words.h — tells how well a saved model fits a recording (stages/score/drift.h).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/text/json.h"

namespace beatscan {

struct RunResult;

// Returns the drift with its parts, or why it is not known; null where the model was trained here.
Json drift_json(const RunResult& result);

// Says that a saved model does not fit the recording, or may not. Empty where it does, where the model was trained
// here, and where the scores do not depend on the model.
std::string drift_warning(const RunResult& result);

}  // namespace beatscan
