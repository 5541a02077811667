// app/pipeline/beat_class_model.h — the model of beat classes, as scripts/train_classifier writes it.
#pragma once

#include <filesystem>
#include <string>

#include "stages/classify/class_chain.h"

namespace beatscan {

struct BeatClassModel : ClassModel {
  std::string sha256;  // of its trees
};

// Reads a model, or returns the built-in one for an empty path. Throws ErrorKind::usage if the file cannot be read, and
// ErrorKind::input if it has another format or version, is damaged, or reads a column that the beat table does not
// have: one line with the path, the problem and a remedy.
BeatClassModel beat_class_model(const std::filesystem::path& path);

// Parses the text of a model; `source` names it in errors.
BeatClassModel parse_beat_class_model(const std::string& text, const std::string& source);

}  // namespace beatscan
