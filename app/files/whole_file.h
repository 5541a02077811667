// app/files/whole_file.h — files that are read whole: how many bytes of them, at most, and none that may have no end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "kernels/runtime/error.h"

namespace beatscan {

struct WholeFileRules {
  std::int64_t most_bytes = 1 << 30;    // of truths, models, checkpoints and files of a result
  ErrorKind status = ErrorKind::input;  // of errors
  const char* advice = "check the name and its permissions";
};

inline constexpr WholeFileRules kConfigFile = {
    .most_bytes = 1 << 20, .status = ErrorKind::usage, .advice = "give a file, or one of the names default, seed"};

// A file's or a pipe's bytes, to the end. An Error where it cannot be read, is a folder or a device, or as soon as it
// is found to have too many. A signal (stages/common/interrupt.h) ends the wait for a pipe.
std::string read_whole_file(const std::filesystem::path& path, const WholeFileRules& rules = {});

}  // namespace beatscan
