// app/cli/help/help_text.h — the texts of --help, and the groups, examples and exit statuses that they and the manual
// name.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct Argument;
struct CommandTree;

// The titles of the groups, in the order of help: Input, Output, Method, Batch, Device, Messages.
const std::vector<std::string>& option_groups();

// Returns the title of an option's group. An option without a group gets a default by its value: Output for a file or
// folder, Method for any other.
std::string group_of(const Argument& option);

// Returns whether an option is rarely needed. Only --help-all and the manual page describe such an option.
bool is_seldom_used(const Argument& option);

struct UsageExample {
  std::string line, meaning;
};
// Returns example command lines; for "" those of the program.
std::vector<UsageExample> examples_of(const std::string& command);

struct StatusMeaning {
  std::string status, meaning;
};

// Returns the meaning of every exit status.
std::vector<StatusMeaning> status_meanings();

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
