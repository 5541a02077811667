// app/cli/add_commands.h — the commands with their options, for CLI11 to read.
#pragma once

#include <functional>

#include "app/run/run_options.h"

namespace CLI {
class App;
}

namespace beatscan {

class Log;

// The options that commands share, and the command that a command line names.
struct ParsedLine {
  CommonOptions common;
  std::function<int(Log&)> command;  // does the command that was named and returns the exit status
};

// Adds every command to `app`. Parsing fills `line`; both must outlive it.
void add_commands(CLI::App& app, ParsedLine& line);

// Add the commands that take a result.
void add_evaluate(CLI::App& app, ParsedLine& line);
void add_report(CLI::App& app, ParsedLine& line);
void add_plot(CLI::App& app, ParsedLine& line);

}  // namespace beatscan
