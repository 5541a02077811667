// app/run/run_command.h — the commands `run` and `score`.
#pragma once

#include "app/run/batch.h"

namespace beatscan {

// Analyses every recording of the options. Throws Error before anything is begun, or where the only recording fails.
BatchOutcome run_command(const CommonOptions& common, const RunOptions& options, Log& log);

}  // namespace beatscan
