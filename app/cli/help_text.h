// app/cli/help_text.h — what --help shows.
#pragma once

#include <string>

#include "app/cli/command_tree.h"

namespace beatscan {

// Help for the command of this name, or for the whole program if the name is empty. Lines have at most 80 characters.
std::string help_text(const CommandTree& tree, const std::string& command);

}  // namespace beatscan
