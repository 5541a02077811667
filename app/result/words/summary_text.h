// app/result/words/summary_text.h — says what was found, in a few lines.
#pragma once

#include <filesystem>
#include <string>

#include "app/text/json.h"

namespace beatscan {

struct RunResult;

// Returns what was found, in nine or ten lines, and up to three more with reference annotations. The figures are those
// of report.html. `evaluation` may be null.
std::string summary_text(const RunResult& result, const std::filesystem::path& folder, const Json& evaluation);

}  // namespace beatscan
