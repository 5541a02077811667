// app/cli/add_commands.h — the commands and their options, as CLI11 definitions.
#pragma once

#include <functional>

#include "app/pipeline/run_options.h"

namespace CLI {
class App;
}

namespace beatscan {

class Log;

// The options that commands share, and the command that was parsed.
struct ParsedLine {
  CommonOptions common;
  std::function<int(Log&)> command;  // runs the parsed command and returns the exit status
};

// Adds every command to `app`. Parsing fills `line`; both must outlive it.
void add_commands(CLI::App& app, ParsedLine& line);

// Add the commands that read a result.
void add_evaluate(CLI::App& app, ParsedLine& line);
void add_report(CLI::App& app, ParsedLine& line);
void add_revise(CLI::App& app, ParsedLine& line);
void add_plot(CLI::App& app, ParsedLine& line);

}  // namespace beatscan
