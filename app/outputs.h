// app/outputs.h — the files of a result, as text; see README for what each holds.
#pragma once

#include <string>

#include "app/config.h"
#include "app/output_folder.h"
#include "app/pipeline.h"

namespace beatscan {

// Everything about the run in numbers. `evaluation` may be null.
Json summary_json(const RunResult& result, const Config& config, const Json& evaluation);

// Writes all files of a result into the folder (not yet committed).
void write_result(OutputFolder& folder, const RunResult& result, const Config& config, const Json& evaluation);

// For people: what was found, in a few lines.
std::string summary_text(const RunResult& result, const std::filesystem::path& folder, const Json& evaluation);

const char* name_of(Fate fate);

// What is wrong with the model, for people; empty where nothing is. Around R peaks the model sees what the median beat
// leaves, which in a clean recording is noise: that it finds nothing there is no fault.
std::string model_warning(const RunResult& result);

}  // namespace beatscan
