// app/report/stored/damaged_file.h — refuses a file of a result that is not as the program wrote it.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/runtime/error.h"

namespace beatscan {

// Throws ErrorKind::input with "<path>: <what>; run the analysis again".
[[noreturn]] inline void fail_damaged(const std::filesystem::path& path, const std::string& what) {
  fail(ErrorKind::input, path.string(), what + "; run the analysis again");
}

}  // namespace beatscan
