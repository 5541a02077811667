// app/cli/commands.h — what each command does, given its options. Returns the exit status; throws Error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/run/bench.h"
#include "app/run/run_options.h"
#include "app/synthetic/generate.h"
#include "app/text/log.h"

namespace beatscan {

struct EvaluateOptions {
  std::filesystem::path folder, truth;
  double tolerance_ms;
};

int evaluate_command(const CommonOptions& common, const EvaluateOptions& options, Log& log);
int generate_command(const CommonOptions& common, GenerateOptions options, const std::filesystem::path& out, Log& log);
int inspect_command(const CommonOptions& common, const std::filesystem::path& path, Log& log);
int report_command(const std::filesystem::path& folder, Log& log);
int bench_command(const CommonOptions& common, const BenchOptions& options, Log& log);
int config_command(const CommonOptions& common, const std::string& action, const std::string& file);
int info_command();

}  // namespace beatscan
