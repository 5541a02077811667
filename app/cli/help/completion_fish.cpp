#include "app/cli/help/completion.h"

#include "app/cli/help/command_tree.h"

namespace beatscan {
namespace {

// Text in single quotes, escaped for fish.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return result + "'";
}

// Options of `complete` for a value. -x offers nothing else, -F offers files too.
std::string fish_action_of(const Argument& argument) {
  if (!argument.choices.empty()) return " -x -a " + fish_quoted(joined(argument.choices));
  switch (argument.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::file:
      return " -r -F";
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::config:
      return " -r -F -a " + fish_quoted(joined(config_names()));
    case ValueKind::setting:
      return " -x -a '(__beatscan_settings)'";
    default:
      return " -x";
  }
}

std::string names_of(const Argument& argument) {
  std::string names;
  for (const auto& flag : argument.flags)
    names += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
  return names;
}

std::string line(const std::string& condition, const Argument& argument) {
  // A positional argument is completed like a value, but without -r and -x, which apply to an option's value.
  std::string action = fish_action_of(argument);
  if (argument.positional() && action.starts_with(" -r")) action.erase(0, 3);
  if (argument.positional() && action.starts_with(" -x")) action.erase(0, 3);
  if (argument.positional() && action.empty()) return "";
  return "complete -c beatscan -n " + fish_quoted(condition) + names_of(argument) + action + " -d " +
         fish_quoted(argument.meaning) + "\n";
}

// Offers key= with its meaning, or key=value for each value of a key that has few.
std::string setting_function() {
  std::string text = "function __beatscan_settings\n";
  for (const Setting& setting : settings()) {
    const std::string meaning = setting.meaning + (setting.fallback.empty() ? "" : " (" + setting.fallback + ")");
    const auto candidates = setting.choices.empty() ? std::vector<std::string>{""} : setting.choices;
    for (const auto& value : candidates)
      text += "    printf '%s\\t%s\\n' " + fish_quoted(setting.key + "=" + value) + " " + fish_quoted(meaning) + "\n";
  }
  return text + "end\n";
}

}  // namespace

std::string fish_completion(const CommandTree& tree) {
  std::string text = "# Completion of beatscan in fish, written by `beatscan completion fish`.\n" + setting_function() +
                     "complete -c beatscan -f\n";
  for (const Argument& argument : tree.arguments) text += line("__fish_use_subcommand", argument);
  for (const Command& command : tree.commands) {
    text += "complete -c beatscan -n __fish_use_subcommand -a " + command.name + " -d " + fish_quoted(command.meaning) +
            "\n";
    for (const Argument& argument : command.arguments)
      text += line("__fish_seen_subcommand_from " + command.name, argument);
  }
  return text;
}

}  // namespace beatscan
