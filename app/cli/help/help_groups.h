// app/cli/help/help_groups.h — in which order help shows options, and what a command is used for.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct Argument;

// The titles of the groups, in the order of help: Input, Output, Method, Batch, Device, Messages.
const std::vector<std::string>& option_groups();

// Returns the title of an option's group. An option that no group names belongs to the first one that fits its value:
// an option with a file or folder to Output, any other to Method.
std::string group_of(const Argument& option);

// Tells whether few people need an option. Only --help-all and the manual page describe such an option.
bool is_seldom_used(const Argument& option);

struct UsageExample {
  std::string line, meaning;
};
// Returns command lines to start from; for "" those of the program.
std::vector<UsageExample> examples_of(const std::string& command);

}  // namespace beatscan
