// app/pipeline/rhythm_model.h — the rhythm model, as scripts/train_rhythm writes it.
#pragma once

#include <filesystem>
#include <string>

#include "stages/rhythm/rhythms.h"

namespace beatscan {

struct TrainedRhythmModel : RhythmModel {
  std::string sha256;  // of its regressions and its decoding
};

// Reads a model, or returns the built-in one for an empty path. Throws ErrorKind::usage if the file cannot be read, and
// ErrorKind::input if it has another format or version, is damaged, or reads a column that its table does not have: one
// line with the path, the problem and a remedy.
TrainedRhythmModel rhythm_model(const std::filesystem::path& path);

// Parses the text of a model; `source` names it in errors.
TrainedRhythmModel parse_rhythm_model(const std::string& text, const std::string& source);

}  // namespace beatscan
