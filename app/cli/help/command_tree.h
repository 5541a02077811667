// app/cli/help/command_tree.h — the command line as data, from which help, completions and the manual page are
// generated.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

// The type of a value, by its name: "DIR" is a folder.
enum class ValueKind { none, text, file, folder, config, setting };
ValueKind value_kind(const std::string& value);

struct Argument {
  std::vector<std::string> flags;  // "-q", "--quiet"; none: positional
  std::string name;                // name of a positional argument
  std::string meaning;             // one line
  ValueKind kind = ValueKind::none;
  std::string value;                 // name of the value: "HZ"
  std::vector<std::string> choices;  // all possible values; empty: too many to list
  std::string fallback;              // default value; empty: none, or that of another option
  bool required = false, repeatable = false;

  bool positional() const { return flags.empty(); }
};

struct Command {
  std::string name, meaning;
  std::vector<Argument> arguments;  // in the order of --help
};

struct CommandTree {
  std::string name, meaning;
  std::vector<Argument> arguments;  // options of the program itself
  std::vector<Command> commands;
};

// The argument's meaning, its default, and whether it is required.
std::string full_meaning(const Argument& argument);

std::string joined(const std::vector<std::string>& words, const char* between = " ");

// A key of the configuration as `--set` takes it.
struct Setting {
  std::string key, meaning, fallback;
  std::vector<std::string> choices;
};
std::vector<Setting> settings();

}  // namespace beatscan
