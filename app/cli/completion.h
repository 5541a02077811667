// app/cli/completion.h — scripts that complete the command line in a shell. They hold all they say: the shell does not
// call the program.
#pragma once

#include <string>

#include "app/cli/command_tree.h"

namespace beatscan {

std::string bash_completion(const CommandTree& tree);
std::string zsh_completion(const CommandTree& tree);
std::string fish_completion(const CommandTree& tree);

// With a space between.
std::string joined(const std::vector<std::string>& words);

std::vector<std::string> config_names();

}  // namespace beatscan
