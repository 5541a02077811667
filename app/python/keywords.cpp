#include "app/python/keywords.h"

#include <algorithm>

#include "app/config/config_fields.h"

namespace beatscan::operators {
namespace {

std::string keyword_of(std::string key) {
  std::ranges::replace(key, '.', '_');
  return key;
}

// Returns an option's type as an operator schema names it.
std::string type_of(const Json& schema) {
  if (schema.contains("enum")) return "str";
  const Json type = schema["type"].is_array() ? schema["type"][0] : schema["type"];
  if (type == "boolean") return "bool";
  if (type == "integer") return "int";
  if (type == "number") return "float";
  if (type == "array") return "int[]";
  return "str";
}

Json json_of(const c10::IValue& value) {
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return value.toDouble();
  if (value.isIntList()) return value.toIntVector();
  return value.toStringRef();
}

}  // namespace

std::string keywords_of(const std::vector<std::string_view>& sections) {
  Config config;
  std::string keywords;
  for (const auto& field : fields_of(config))
    if (std::ranges::any_of(sections, [&](std::string_view section) { return field.key.starts_with(section); }))
      keywords += ", " + type_of(field.schema) + "? " + keyword_of(field.key) + "=None";
  return keywords;
}

void apply_keywords(Config& config, const Given& given, const std::string& source) {
  Config keys;
  Json document = Json::object();
  for (const auto& field : fields_of(keys)) {
    const c10::IValue value = given(keyword_of(field.key));
    if (value.isNone()) continue;
    const auto dot = field.key.find('.');
    Json& section = dot == field.key.npos ? document : document[field.key.substr(0, dot)];
    section[field.key.substr(dot == field.key.npos ? 0 : dot + 1)] = json_of(value);
  }
  apply(config, document, source);
}

}  // namespace beatscan::operators
