#include "app/cli/help/command_tree.h"
#include "app/cli/help/completion.h"
#include "app/common/environment.h"

namespace beatscan {
namespace {

// The part of the script that is common to all commands. Bash treats = as a word of its own: --device=cpu is three
// words, and --set seed=1 is four.
constexpr const char* kFunctions = R"BASH(
_beatscan_words() { mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$1" -- "$word"); }
_beatscan_paths() {
  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "$1" -- "$word")
  compopt -o filenames 2>/dev/null
}

_beatscan() {
  local word=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) equals='' command='' before i
  COMPREPLY=()
  if [[ $word == '=' ]]; then equals=1 word=''; fi
  if [[ ${COMP_WORDS[at]} == '=' ]]; then equals=1 at=$((at - 1)); fi
  before=${COMP_WORDS[at]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }
  done
  if [[ $equals && ${COMP_WORDS[at - 1]} == --set ]]; then _beatscan_setting_values; return; fi
)BASH";

// The shell commands that complete a value.
std::string completing(const Argument& argument) {
  if (!argument.choices.empty()) return "_beatscan_words " + single_quoted(joined(argument.choices));
  switch (argument.kind) {
    case ValueKind::file:
      return "_beatscan_paths -f";
    case ValueKind::folder:
      return "_beatscan_paths -d";
    case ValueKind::config:
      return "_beatscan_words " + single_quoted(joined(config_names())) + "; _beatscan_paths -f";
    case ValueKind::setting:
      return "_beatscan_settings";
    default:
      return "";
  }
}

// Completes a word of this command. After an option that takes a value, completes the value. Otherwise completes
// options and all positional arguments, whose positions are not counted.
std::string command_case(const Command& command) {
  std::string values, flags, positional;
  for (const Argument& argument : command.arguments) {
    const std::string completion = completing(argument);
    if (argument.positional()) {
      if (!completion.empty()) positional += (positional.empty() ? "" : "; ") + completion;
      continue;
    }
    flags += (flags.empty() ? "" : " ") + joined(argument.flags);
    if (argument.kind != ValueKind::none)
      values += "        " + joined(argument.flags, "|") + ") " + completion + " ;;\n";
  }
  std::string others = "[[ $word != -* ]] || _beatscan_words " + single_quoted(flags);
  if (!positional.empty())
    others = "if [[ $word == -* ]]; then _beatscan_words " + single_quoted(flags) + "; else " + positional + "; fi";
  return "    " + command.name + ")\n      case $before in\n" + values + "        *) " + others +
         " ;;\n      esac ;;\n";
}

std::string setting_functions() {
  std::string keys, values;
  for (const Setting& setting : settings()) {
    keys += setting.key + "= ";
    if (!setting.choices.empty())
      values += "    " + setting.key + ") _beatscan_words " + single_quoted(joined(setting.choices)) + " ;;\n";
  }
  return "_beatscan_settings() { compopt -o nospace 2>/dev/null; _beatscan_words " + single_quoted(keys) +
         "; }\n_beatscan_setting_values() {\n  case $before in\n" + values + "  esac\n}\n";
}

}  // namespace

std::string bash_completion(const CommandTree& tree) {
  std::string commands, cases;
  for (const Argument& argument : tree.arguments) commands += joined(argument.flags) + " ";
  for (const Command& command : tree.commands) {
    commands += command.name + " ";
    cases += command_case(command);
  }
  return "# Completion of beatscan in bash, written by `beatscan completion bash`.\n" + setting_functions() +
         kFunctions + "  case $command in\n    '') _beatscan_words " + single_quoted(commands) + " ;;\n" + cases +
         "  esac\n}\ncomplete -F _beatscan beatscan\n";
}

}  // namespace beatscan
