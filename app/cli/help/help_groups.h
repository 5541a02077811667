// app/cli/help/help_groups.h — the order of options in help, and examples of each command.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct Argument;

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

}  // namespace beatscan
