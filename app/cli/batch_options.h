// app/cli/batch_options.h — the options for many recordings, and the command that lists their results.
#pragma once

namespace CLI {
class App;
}

namespace beatscan {

struct ParsedLine;
struct RunOptions;

// Adds --list and --shard.
void add_batch_options(CLI::App& command, RunOptions& options);

// Adds the command `cohort`.
void add_cohort(CLI::App& app, ParsedLine& line);

}  // namespace beatscan
