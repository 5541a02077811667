// app/cli/command_tree.h — the command line as data: what completions and the manual page are made from, as --help is
// from CLI11's definitions.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace beatscan {

// What the value of an argument is, as its type's name says.
enum class ValueKind { none, text, file, folder, config, setting };

struct Argument {
  std::vector<std::string> flags;  // "-q", "--quiet"; none: positional
  std::string name;                // of a positional argument
  std::string meaning;             // one line
  ValueKind kind = ValueKind::none;
  std::string value;                 // what the value is called: "HZ"
  std::vector<std::string> choices;  // all values that there are; empty: too many to tell
  std::string fallback;              // value without the option; empty: none, or another option's
  bool required = false, repeatable = false;

  bool positional() const { return flags.empty(); }
};

struct Command {
  std::string name, meaning;
  std::vector<Argument> arguments;  // in the order of --help
};

struct CommandTree {
  std::string name, meaning;
  std::vector<Argument> arguments;  // without a command
  std::vector<Command> commands;
};

CommandTree command_tree(const CLI::App& app);

// A key of the configuration as `--set` takes it.
struct Setting {
  std::string key, meaning, fallback;
  std::vector<std::string> choices;
};
std::vector<Setting> settings();

}  // namespace beatscan
