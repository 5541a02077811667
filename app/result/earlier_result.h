// app/result/earlier_result.h — what --force may replace.
#pragma once

#include <filesystem>
#include <string>

namespace beatscan {

// Why `folder` is not an earlier result of this program and nothing else: it has no summary.json of ours, or holds what
// a result does not (somebody's notes, the recording itself). Part of a message; empty where it may be replaced.
std::string why_no_result(const std::filesystem::path& folder);

}  // namespace beatscan
