// app/output/text/summary_text.h — the text summary of a result.
#pragma once

#include <filesystem>
#include <string>

#include "app/common/json.h"

namespace beatscan {

struct RunResult;

// Returns the summary in nine or ten lines, and up to three more with reference annotations. The figures are those of
// report.html. `evaluation` may be null.
std::string summary_text(const RunResult& result, const std::filesystem::path& folder, const Json& evaluation);

}  // namespace beatscan
