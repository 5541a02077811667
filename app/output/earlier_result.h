// app/output/earlier_result.h — decides whether --force may replace a folder.
#pragma once

#include <filesystem>
#include <string>

namespace beatscan {

// Returns why `folder` is not an earlier result of this program and nothing else, as a part of a message: it may lack
// the program's summary.json, or hold other files, such as notes or the recording itself. An empty text means that the
// folder may be replaced.
std::string why_no_result(const std::filesystem::path& folder);

}  // namespace beatscan
