// app/batch/dry_run.h — `--dry-run`: prints what a run would do.
#pragma once

#include "app/batch/run_command.h"

namespace beatscan {

class Log;
struct CommonOptions;
struct Plan;
struct RunOptions;

// Checks the targets and every input of this process, and prints the planned work as JSON. In a batch, an input that
// cannot be read has its error in the JSON and as a message, and counts as a failure. The error of a single recording
// is thrown, and so is that of a required GPU that is missing.
BatchOutcome print_plan(const Plan& plan, const CommonOptions& common, const RunOptions& options, const Log& log);

}  // namespace beatscan
