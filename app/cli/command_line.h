// app/cli/command_line.h — reads the command line, does the command and tells the exit status.
#pragma once

#include "app/cli/help/command_tree.h"

namespace CLI {
class App;
}

namespace beatscan {

// Runs the whole program. Every error becomes one line on stderr and an exit status. After a command it leaves through
// _exit: all files are on the disk then, and destroying LibTorch and the CUDA context piece by piece would take another
// 0.1 s.
int run_command_line(int argc, char** argv) noexcept;

// Returns the commands and options that were added to `app`, as data.
CommandTree command_tree(const CLI::App& app);

}  // namespace beatscan
