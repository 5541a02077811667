// app/output/model_file.h — a trained model as a safetensors file: parameters by name, and the configuration as
// metadata.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "stages/model/vae_output.h"
#include "stages/score/drift.h"

namespace beatscan {

struct SavedModel {
  Config config;  // the configuration of the run that made it
  std::vector<NamedArray> parameters;
  std::optional<TrainingSpread> training_spread = {};  // of the training beats; missing in files of older versions
};

// A safetensors file of float32 arrays: metadata (text by name) and the arrays.
struct Safetensors {
  Json metadata;
  std::vector<NamedArray> arrays;
};
std::string safetensors_bytes(const Safetensors& file);
Safetensors parse_safetensors(const std::string& bytes, const std::string& source);  // throws ErrorKind::input

// Returns the bytes of a model's file.
std::string model_safetensors(const SavedModel& model);
// The same for a model whose configuration is JSON already.
std::string model_safetensors(const SavedModel& model, const Json& config);

// Reads a model. Throws ErrorKind::input, with the reason, if the file
//   - is not a complete safetensors file
//   - has no model of this program and version
//   - has parameters that are not finite, or do not match its configuration's topology
SavedModel read_model(const std::filesystem::path& path);

// Throws ErrorKind::input unless the parameters match the topology; `source` names them in the error.
void check_parameters(const std::vector<NamedArray>& parameters, const Config& config, const std::string& source);

}  // namespace beatscan
