#include "app/cli/command_tree.h"

#include <CLI/CLI.hpp>

#include "app/config/config_fields.h"

namespace beatscan {
namespace {

std::vector<std::string> choices_of(const ConfigField& field) {
  if (field.schema.value("type", Json()) == "boolean") return {"true", "false"};
  std::vector<std::string> choices;
  for (const char* key : {"enum", "examples"})
    if (field.schema.contains(key))
      for (const auto& choice : field.schema[key]) choices.push_back(choice.get<std::string>());
  return choices;
}

ValueKind kind_of(const std::string& value) {
  if (value == "FILE|NAME") return ValueKind::config;
  if (value == "KEY=VALUE") return ValueKind::setting;
  if (value == "DIR") return ValueKind::folder;
  if (value == "INPUT" || value.starts_with("FILE")) return ValueKind::file;
  return ValueKind::text;
}

// CLI11 tells the values of an IsMember check as a part of the type's name: TEXT:{text,json}.
std::vector<std::string> choices_in(const std::string& type) {
  const auto open = type.find('{'), close = type.rfind('}');
  if (open == type.npos || close == type.npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

// An option that is called like a key of the configuration (--device) has that key's values.
std::vector<std::string> choices_of_key(const std::string& key) {
  for (const Setting& setting : settings())
    if (setting.key == key) return setting.choices;
  return {};
}

Argument argument_of(const CLI::Option& option) {
  Argument argument{
      .meaning = option.get_description(), .fallback = option.get_default_str(), .required = option.get_required()};
  if (option.get_positional()) {
    argument.name = option.get_name(true);
  } else {
    for (const auto& name : option.get_snames()) argument.flags.push_back("-" + name);
    for (const auto& name : option.get_lnames()) argument.flags.push_back("--" + name);
  }
  if (option.get_items_expected_max() == 0) return argument;
  const std::string type = option.get_type_name();
  argument.value = type.substr(0, type.find(':'));
  argument.kind = kind_of(argument.value);
  argument.repeatable = option.get_items_expected_max() > 1;
  argument.choices = choices_in(type);
  if (argument.choices.empty() && !option.get_lnames().empty())
    argument.choices = choices_of_key(option.get_lnames()[0]);
  return argument;
}

std::vector<Argument> arguments_of(const CLI::App& app) {
  std::vector<Argument> arguments;
  for (const CLI::Option* option : app.get_options()) arguments.push_back(argument_of(*option));
  return arguments;
}

}  // namespace

CommandTree command_tree(const CLI::App& app) {
  CommandTree tree{app.get_name(), app.get_description(), arguments_of(app), {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    tree.commands.push_back({command->get_name(), command->get_description(), arguments_of(*command)});
  return tree;
}

std::vector<Setting> settings() {
  Config defaults;
  std::vector<Setting> settings;
  for (const auto& field : fields_of(defaults)) {
    const Json value = field.get();
    settings.push_back({field.key, field.meaning, value.is_discarded() ? "" : text_of(value, -1), choices_of(field)});
  }
  return settings;
}

}  // namespace beatscan
