#include "app/report/page_options.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "app/config/config.h"
#include "app/config/config_fields.h"
#include "app/report/stored/stored_result.h"

namespace beatscan {
namespace {

std::map<std::string, std::string> flat(const Json& config) {
  std::map<std::string, std::string> values;
  for (const auto& [section, value] : config.items()) {
    if (!value.is_object()) {
      values[section] = text_of(value, -1);
      continue;
    }
    for (const auto& [key, inner] : value.items()) values[section + "." + key] = text_of(inner, -1);
  }
  return values;
}

// Returns the default of a key. Where only the key in the other unit has a default, its name follows in parentheses.
std::string default_of(const std::map<std::string, std::string>& defaults, const std::string& key) {
  if (const auto same = defaults.find(key); same != defaults.end()) return same->second;
  for (const char* suffix : {"_s", "_samples"})
    if (const auto other = defaults.find(key_without_unit(key) + suffix); other != defaults.end())
      return other->second + " (" + other->first + ")";
  return "";
}

// Defaults and meanings of all options, by key.
struct Options {
  std::map<std::string, std::string> defaults, meanings;
  explicit Options(Method method) {
    Config config;
    config.method = method;
    defaults = flat(to_json(config));
    for (const auto& field : fields_of(config)) meanings[field.key] = field.meaning;
  }
};

// Makes the defaults and meanings of both methods once: a batch has thousands of pages.
const Options& options_of(Method method) {
  static const Options r_peaks(Method::r_peaks), published(Method::published);
  return method == Method::published ? published : r_peaks;
}

}  // namespace

Json changed_options(const StoredResult& result) {
  const auto& [defaults, meanings] = options_of(result.published ? Method::published : Method::r_peaks);
  Json options = Json::array();
  for (const auto& [key, value] : flat(result.config)) {
    const std::string usual = default_of(defaults, key);
    if (usual != value) options.push_back({key, value, usual, meanings.contains(key) ? meanings.at(key) : ""});
  }
  return options;
}

}  // namespace beatscan
