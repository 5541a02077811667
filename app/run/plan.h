// app/run/plan.h — what a run will do, resolved and checked before anything is touched.
#pragma once

#include <memory>

#include "app/run/pipeline.h"
#include "app/run/run_options.h"

namespace beatscan {

// The request of the command line. Every recording of the run has it in common.
struct Plan {
  Config config;
  RateGiven rate;
  std::shared_ptr<const ModelToUse> model;  // nothing: each recording trains its own
};

// Throws Error where options, configuration, model or truth do not serve.
Plan plan_of(const CommonOptions& common, const RunOptions& options);

// Throws where results cannot be put where they are asked for. It is called before anything is touched, so that this is
// not found after hours of training.
void check_targets(const Config& config, const CommonOptions& common, const RunOptions& options);

// Throws ErrorKind::output where a file that is read lies in the folder that results are put in.
void check_outside(const std::filesystem::path& file, const std::filesystem::path& folder);

// Checks the targets and looks at every input. Prints what would be done, as JSON.
void print_plan(const Config& config, const CommonOptions& common, const RunOptions& options);

}  // namespace beatscan
