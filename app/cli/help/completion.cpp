#include "app/cli/help/completion.h"

#include <vector>

#include "app/cli/help/command_tree.h"
#include "app/common/environment.h"
#include "app/config/builtin_configs.h"

namespace beatscan {

std::vector<std::string> config_names() {
  std::vector<std::string> names;
  for (const auto& config : kBuiltinConfigs) names.push_back(config.name);
  return names;
}

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

namespace {

// Escapes characters with a special meaning in a specification, such as [ ] and :.
std::string escaped(const std::string& text, const std::string& special) {
  std::string result;
  for (const char c : text) result += (special.find(c) != special.npos ? "\\" : "") + std::string(1, c);
  return result;
}

// The action of a specification, which completes a value.
std::string zsh_action_of(const Argument& argument) {
  if (!argument.choices.empty()) return "(" + escaped(joined(argument.choices), ":") + ")";
  switch (argument.kind) {
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_files -/";
    case ValueKind::config:
      return "_beatscan_config";
    case ValueKind::setting:
      return "_beatscan_setting";
    default:
      return " ";
  }
}

// A specification of _arguments: '(-q --quiet)'{-q,--quiet}'[meaning]:VALUE:what completes it'
std::string specification(const Argument& argument) {
  const std::string value =
      argument.kind == ValueKind::none ? "" : ":" + escaped(argument.value, ":") + ":" + zsh_action_of(argument);
  if (argument.positional())
    return single_quoted(std::string(argument.repeatable ? "*" : "") + ":" + escaped(argument.meaning, ":") + ":" +
                         zsh_action_of(argument));
  const std::string meaning = "[" + escaped(argument.meaning, "[]:\\") + "]" + value;
  if (argument.flags.size() == 1) {
    const std::string repeat = argument.repeatable ? "*" : "", equals = value.empty() ? "" : "=";
    return single_quoted(repeat + argument.flags[0] + equals + meaning);
  }
  std::string names;
  for (const auto& flag : argument.flags) names += (names.empty() ? "" : ",") + flag;
  return single_quoted("(" + joined(argument.flags) + ")") + "{" + names + "}" + single_quoted(meaning);
}

std::string arguments_call(const std::vector<Argument>& arguments, const std::string& indent) {
  std::string text = "_arguments -s";
  for (const Argument& argument : arguments) text += " \\\n" + indent + specification(argument);
  return text;
}

// An entry of a list for _describe: name and meaning.
std::string described(const std::string& name, const std::string& meaning) {
  return "    " + single_quoted(escaped(name, ":") + ":" + meaning) + "\n";
}

std::string zsh_setting_functions() {
  std::string keys, values;
  for (const Setting& setting : settings()) {
    keys += described(setting.key, setting.meaning + (setting.fallback.empty() ? "" : " (" + setting.fallback + ")"));
    if (!setting.choices.empty()) values += "      " + setting.key + ") compadd " + joined(setting.choices) + " ;;\n";
  }
  return "_beatscan_config() { _alternative 'names:name:(" + joined(config_names()) + ")' 'files:file:_files' }\n" +
         "_beatscan_setting() {\n  local -a keys\n  if compset -P '*='; then\n    case ${${IPREFIX%=}##*=} in\n" +
         values + "    esac\n    return\n  fi\n  keys=(\n" + keys + "  )\n  _describe -t keys key keys -qS=\n}\n";
}

}  // namespace

std::string zsh_completion(const CommandTree& tree) {
  std::string commands, cases, top = "_arguments -C";
  for (const Argument& argument : tree.arguments) top += " \\\n    " + specification(argument);
  for (const Command& command : tree.commands) {
    commands += described(command.name, command.meaning);
    cases += "        " + command.name + ")\n          " + arguments_call(command.arguments, "            ") + " ;;\n";
  }
  return "#compdef beatscan\n# Completion of beatscan in zsh, written by `beatscan completion zsh`.\n" +
         zsh_setting_functions() + "_beatscan() {\n  local context state state_descr line\n  typeset -A opt_args\n" +
         "  local -a commands=(\n" + commands + "  )\n  " + top +
         " \\\n    '1:command:->command' '*::argument:->argument'\n  case $state in\n" +
         "    command) _describe -t commands command commands ;;\n    argument)\n      case $line[1] in\n" + cases +
         "      esac ;;\n  esac\n}\n" +
         "if [[ $funcstack[1] == _beatscan ]]; then _beatscan \"$@\"; else compdef _beatscan beatscan; fi\n";
}

}  // namespace beatscan
