#include "app/cli/help/command_tree.h"
#include "app/common/json_text.h"

#include <nlohmann/json.hpp>

#include "app/config/config.h"
#include "app/config/config_fields.h"

namespace beatscan {
namespace {

std::vector<std::string> choices_of(const ConfigField& field) {
  if (text_at(field.schema, "type") == "boolean") return {"true", "false"};
  std::vector<std::string> choices;
  for (const char* key : {"enum", "examples"})
    if (field.schema.contains(key))
      for (const auto& choice : field.schema[key]) choices.push_back(choice.get<std::string>());
  return choices;
}

}  // namespace

ValueKind value_kind(const std::string& value) {
  if (value == "FILE|NAME") return ValueKind::config;
  if (value == "KEY=VALUE") return ValueKind::setting;
  if (value == "DIR") return ValueKind::folder;
  if (value == "INPUT" || value.starts_with("FILE")) return ValueKind::file;
  return ValueKind::text;
}

std::string full_meaning(const Argument& argument) {
  std::string meaning = argument.meaning;
  if (!argument.fallback.empty()) meaning += " (default: " + argument.fallback + ")";
  return meaning + (argument.required && !argument.positional() ? " (required)" : "");
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : between) + word;
  return text;
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
