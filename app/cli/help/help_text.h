// app/cli/help/help_text.h — the text of --help.
#pragma once

#include <string>

namespace beatscan {

struct CommandTree;

// The options that help describes.
enum class HelpOf {
  usual_options,  // short, on one screen; names the others at the end
  all_options     // in full, as in the manual page
};

// Returns help for the command of this name, or for the whole program if the name is empty. Lines have at most `width`
// characters.
std::string help_text(const CommandTree& tree, const std::string& command, std::size_t width = 80,
                      HelpOf options = HelpOf::usual_options);

}  // namespace beatscan
