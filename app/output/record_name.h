// app/output/record_name.h — the name of a recording.
#pragma once

#include <filesystem>
#include <string>

namespace beatscan {

// Returns a recording's name: its file name without folder and extensions; "stdin" for standard input.
std::string record_name(const std::filesystem::path& input);

}  // namespace beatscan
