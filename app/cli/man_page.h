// app/cli/man_page.h — the manual page, from the same definitions as --help.
#pragma once

#include <string>

#include "app/cli/command_tree.h"

namespace beatscan {

// roff with the macros of man(7).
std::string man_page(const CommandTree& tree, const std::string& version);

// "Exit status: 0 done, 1 internal error, …", in lines for a terminal.
std::string exit_status_text();

}  // namespace beatscan
