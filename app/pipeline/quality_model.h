// app/pipeline/quality_model.h — the forests of the signal-quality index and of fibrillation, as scripts/train_quality
// and scripts/train_fibrillation write them.
#pragma once

#include <filesystem>
#include <string>

#include "stages/quality/quality_index.h"

namespace beatscan {

struct TrainedQualityModel : QualityModel {
  std::string sha256, date;  // of everything that is computed with; when the index was trained
};

// Reads a model, or returns the built-in one for an empty path. Throws ErrorKind::usage if the file cannot be read, and
// ErrorKind::input if it has another format or version, is damaged, or was trained for features other than this
// program's: one line with the path, the problem and a remedy.
TrainedQualityModel quality_model(const std::filesystem::path& path);

// Parses the text of a model; `source` names it in errors.
TrainedQualityModel parse_quality_model(const std::string& text, const std::string& source);

}  // namespace beatscan
