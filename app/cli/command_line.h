// app/cli/command_line.h — parses the command line, runs the command and returns the exit status, after one line on
// stderr for an exception.
#pragma once

#include <functional>

#include "app/cli/help/command_tree.h"
#include "app/common/errors.h"

namespace CLI {
class App;
}

namespace beatscan {

class Log;
struct BatchOutcome;

// If every recording failed, this is the status of the first failure.
ExitStatus status_of(const BatchOutcome& outcome);

// Runs the command and returns its status. If it throws, reports the error in one line and returns the error's status:
// 128 plus the signal for Interrupted, `internal` for exceptions other than Error. Reporting that memory ran out
// allocates no memory.
int exit_status_of(const std::function<int()>& command, Log& log) noexcept;

// Makes std::terminate() end the program with a message and a status if memory runs out where exceptions may not pass,
// such as in a destructor. Applies to the whole process.
void tell_before_terminating();

// Runs the whole program. Every error becomes one line on stderr and an exit status. Every command leaves through
// _exit, because destroying LibTorch and the CUDA context would take another 0.1 s; all files are on the disk by then.
int run_command_line(int argc, char** argv) noexcept;

// Returns the commands and options that were added to `app`, as data.
CommandTree command_tree(const CLI::App& app);

}  // namespace beatscan
