// app/batch/dry_run.h — `--dry-run`: what a run would do.
#pragma once

#include "app/batch/run_command.h"

namespace beatscan {

class Log;
struct CommonOptions;
struct Plan;
struct RunOptions;

// Checks the targets and looks at every input of this process. Prints what would be done, as JSON. In a batch an input
// that cannot be read has its error in the JSON and as a message, and counts as a failure. The error of a single
// recording is thrown, and so is that of a GPU which is insisted on and is not there.
BatchOutcome print_plan(const Plan& plan, const CommonOptions& common, const RunOptions& options, const Log& log);

}  // namespace beatscan
