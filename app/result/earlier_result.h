// app/result/earlier_result.h — tells what --force may replace.
#pragma once

#include <filesystem>
#include <string>

namespace beatscan {

// Tells why `folder` is not an earlier result of this program and nothing else, as a part of a message. It may lack our
// summary.json, or hold other files: somebody's notes, the recording itself. Empty: the folder may be replaced.
std::string why_no_result(const std::filesystem::path& folder);

}  // namespace beatscan
