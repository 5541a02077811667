#include "app/cli/help/command_tree.h"
#include "app/cli/help/completion.h"
#include "app/common/environment.h"

namespace beatscan {
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
