// app/cli/command_line.h — parses the command line, runs the command and returns the exit status.
#pragma once

#include "app/cli/help/command_tree.h"

namespace CLI {
class App;
}

namespace beatscan {

// Runs the whole program. Every error becomes one line on stderr and an exit status. Every command leaves through
// _exit, because destroying LibTorch and the CUDA context would take another 0.1 s; all files are on the disk by then.
int run_command_line(int argc, char** argv) noexcept;

// Returns the commands and options that were added to `app`, as data.
CommandTree command_tree(const CLI::App& app);

}  // namespace beatscan
