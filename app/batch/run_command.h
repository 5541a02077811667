// app/batch/run_command.h — the commands that analyse recordings.
#pragma once

#include <cstddef>
#include <optional>

#include "kernels/runtime/error.h"

namespace beatscan {

class Log;
struct CommonOptions;
struct RunOptions;

struct BatchOutcome {
  std::size_t recordings = 0, failed = 0;
  std::optional<ErrorKind> first_failure;
};

// Analyses every recording of the options. A failed recording does not stop the others. Throws Error before any work,
// or if the only recording fails.
BatchOutcome run_command(const CommonOptions& common, const RunOptions& options, Log& log);

}  // namespace beatscan
