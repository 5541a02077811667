// app/cli/help/completion.h — scripts that complete the command line in a shell. A script contains all completions: the
// shell does not call the program.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct CommandTree;

std::string bash_completion(const CommandTree& tree);
std::string zsh_completion(const CommandTree& tree);
std::string fish_completion(const CommandTree& tree);

// Names of the built-in configurations.
std::vector<std::string> config_names();

}  // namespace beatscan
