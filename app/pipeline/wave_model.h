// app/pipeline/wave_model.h — the model that delineates P, QRS and T waves, as scripts/train_waves writes it.
#pragma once

#include <filesystem>
#include <string>

#include "stages/waves/waves.h"

namespace beatscan {

struct WaveModel : DelineationModel {
  std::string sha256, date;  // of the weights and the confidence; when it was trained
};

// Reads a model, or returns the built-in one for an empty path. Throws ErrorKind::usage if the file cannot be read, and
// ErrorKind::input if it has another format or version, is damaged, or was trained for windows or a decoding other than
// this program's: one line with the path, the problem and a remedy.
WaveModel wave_model(const std::filesystem::path& path);

// Parses the text of a model; `source` names it in errors.
WaveModel parse_wave_model(const std::string& text, const std::string& source);

}  // namespace beatscan
