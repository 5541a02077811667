// app/cli/help/help_text.h — what --help shows.
#pragma once

#include <string>

namespace beatscan {

struct CommandTree;

// The options that help shows.
enum class HelpOf {
  usual_options,  // in short, on one screen; names the others at the end
  all_options     // with all that is said of them, as the manual page does
};

// Returns help for the command of this name, or for the whole program if the name is empty. Lines have at most `width`
// characters.
std::string help_text(const CommandTree& tree, const std::string& command, std::size_t width = 80,
                      HelpOf options = HelpOf::usual_options);

}  // namespace beatscan
