// app/common/whole_file.h — reads complete files, up to a number of bytes. Refuses those that may have no end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "kernels/runtime/error.h"

namespace beatscan {

struct WholeFileRules {
  std::int64_t most_bytes = 1 << 30;  // for truths, models, checkpoints and the files of a result
  ErrorKind kind = ErrorKind::input;  // the kind of all errors
  const char* advice = "check the name and its permissions";
};

inline constexpr WholeFileRules kConfigFile = {
    .most_bytes = 1 << 20,
    .kind = ErrorKind::usage,
    .advice = "give a file, or one of the names default and published (also called seed)"};

// Reads a file or a pipe to its end. Throws Error if it cannot be read, is a folder or a device, or, as soon as that is
// known, has too many bytes. A signal (stages/common/interrupt.h) ends the wait for a pipe.
std::string read_whole_file(const std::filesystem::path& path, const WholeFileRules& rules = {});

}  // namespace beatscan
