// app/batch/run_command.h — the commands `run` and `score`: analyse recordings. One alone is a batch of one.
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

// Analyses every recording of the options. One that fails does not keep the others from being analysed. Throws Error
// before anything is begun, or where the only recording fails.
BatchOutcome run_command(const CommonOptions& common, const RunOptions& options, Log& log);

}  // namespace beatscan
