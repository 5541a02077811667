// app/cli/help/man_page.h — the manual page, generated from the same data as --help.
#pragma once

#include <string>

namespace beatscan {

struct CommandTree;

// Returns the page in roff, with the macros of man(7).
std::string man_page(const CommandTree& tree, const std::string& version);

}  // namespace beatscan
