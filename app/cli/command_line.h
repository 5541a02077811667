// app/cli/command_line.h — reads the command line, does the command and tells the exit status.
#pragma once

#include "app/cli/help/command_tree.h"

namespace CLI {
class App;
}

namespace beatscan {

// The whole program. Every error becomes one line on stderr and an exit status. Leaves through _exit after a command:
// all files are on disk then, and taking LibTorch and the CUDA context down piece by piece would cost another 0.1 s.
int run_command_line(int argc, char** argv) noexcept;

// The commands and options that were added to `app`, as data.
CommandTree command_tree(const CLI::App& app);

}  // namespace beatscan
