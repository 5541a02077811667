// app/cli/common_options.h — options that several commands have.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace beatscan {

struct CommonOptions;
struct ParsedLine;
struct RunOptions;

void add_form_options(CLI::App& command, RunOptions& options);

// Adds --list and --shard.
void add_batch_options(CLI::App& command, RunOptions& options);

// Adds the command `cohort`.
void add_cohort(CLI::App& app, ParsedLine& line);

// Describes a negative seed, which CLI11 would read as a number above 2^63; empty: the seed is valid.
std::string below_0(const std::string& seed);

// Adds -q, -v and --log-format.
void add_log_options(CLI::App& command, CommonOptions& common);

// Adds --set, --rate, --seed and the options of the log.
void add_settings_options(CLI::App& command, CommonOptions& common);

// Adds --config and the options of add_settings_options.
void add_config_options(CLI::App& command, CommonOptions& common);

// Adds --hrv-window, --nn, --only and --deidentify.
void add_result_options(CLI::App& command, CommonOptions& common);

void add_threads_option(CLI::App& command, CommonOptions& common);
void add_device_option(CLI::App& command, CommonOptions& common);
void add_lead_option(CLI::App& command, CommonOptions& common);
void add_source_option(CLI::App& command, CommonOptions& common);
void add_threshold_option(CLI::App& command, CommonOptions& common);

}  // namespace beatscan
