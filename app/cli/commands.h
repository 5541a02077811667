// app/cli/commands.h — the commands with their parsed options. Each returns the exit status or throws Error. `run` and
// `score` are in app/batch/run_command.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace beatscan {

class Log;
struct BenchOptions;
struct CommandTree;
struct CommonOptions;
struct EvaluateOptions;
struct GenerateOptions;
struct PlotRequest;
struct ReviseRequest;

int bench_command(const CommonOptions& common, const BenchOptions& options, Log& log);
int check_config_command(const CommonOptions& common);
int completion_command(const std::string& shell, const CommandTree& tree);  // shell: bash, zsh or fish
int config_schema_command();
int evaluate_command(const EvaluateOptions& options, Log& log);
int generate_command(const GenerateOptions& options, const std::filesystem::path& out, bool force, Log& log);
int info_command();
int inspect_command(const CommonOptions& common, const std::filesystem::path& path, Log& log);
int man_command(const CommandTree& tree);
int plot_command(const PlotRequest& request, Log& log);
int report_command(const std::filesystem::path& folder, Log& log);
int revise_command(const ReviseRequest& request, Log& log);
int rhythm_command(const CommonOptions& common, const std::filesystem::path& path, const std::filesystem::path& out,
                   Log& log);
int show_config_command(const CommonOptions& common);

}  // namespace beatscan
