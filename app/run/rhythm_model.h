// app/run/rhythm_model.h — the model of rhythms, as scripts/train_rhythm writes it.
#pragma once

#include <filesystem>
#include <string>

#include "stages/rhythm_model/rhythm_model.h"

namespace beatscan {

struct TrainedRhythmModel : RhythmModel {
  std::string sha256;  // of its regressions and its decoding
};

// Reads a model, or returns the one that is built in for an empty path. Throws ErrorKind::usage where the file cannot
// be read, and ErrorKind::input where it is of another format or version, is damaged, or reads a column that its table
// does not have: one line that names the path, what is wrong and what to do.
TrainedRhythmModel rhythm_model(const std::filesystem::path& path);

// Parses the text of a model; `source` names it in errors.
TrainedRhythmModel parse_rhythm_model(const std::string& text, const std::string& source);

}  // namespace beatscan
