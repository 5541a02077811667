// app/config/field_makers.h — creates the ConfigField of an option: how a number, a choice or a text is read, written
// and described.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/small_csv.h"
#include "app/config/config.h"
#include "app/config/config_fields.h"
#include "kernels/csv/decimal.h"

namespace beatscan::fields {

struct Range {
  double min, max;
};
inline constexpr double kMany = 1e9;

[[noreturn]] inline void reject(const Json& value, const std::string& wanted) {
  // JSON has neither NaN nor infinity; they would be written as null.
  const bool finite = !value.is_number_float() || std::isfinite(value.get<double>());
  const std::string shown =
      finite ? value.dump(-1, ' ', false, Json::error_handler_t::replace) : std::to_string(value.get<double>());
  throw std::invalid_argument(shown + " is not " + wanted);
}

inline std::string shown(Range range) {
  std::ostringstream text;
  text.precision(16);  // prints large whole numbers without an exponent
  text << range.min << " to " << range.max;
  return text.str();
}

inline double checked_number(const Json& value, Range range) {
  if (!value.is_number()) reject(value, "a number");
  const auto number = value.get<double>();
  if (!(number >= range.min && number <= range.max)) reject(value, "in the range " + shown(range));
  return number;
}

// Accepts 3.0 as 3 and refuses 3.5, which nlohmann would truncate silently.
inline std::int64_t checked_integer(const Json& value, Range range) {
  const double number = checked_number(value, range);
  const auto whole = static_cast<std::int64_t>(number);
  if (number != static_cast<double>(whole)) reject(value, "a whole number");
  // Doubles beyond 2^53 have no odd integers, so such a number has been rounded.
  if (value.is_number_integer() && value != Json(whole)) reject(value, "in the range " + shown(range));
  return whole;
}

inline Json number_schema(const char* type, Range range) {
  return {{"type", type}, {"minimum", range.min}, {"maximum", range.max}};
}

template <class Integer>
ConfigField integer(std::string key, std::string meaning, Integer& target, Range range) {
  return {std::move(key), std::move(meaning), number_schema("integer", range), [&target] { return Json(target); },
          [&target, range](const Json& value) { target = static_cast<Integer>(checked_integer(value, range)); }};
}

inline ConfigField number(std::string key, std::string meaning, double& target, Range range) {
  return {std::move(key), std::move(meaning), number_schema("number", range), [&target] { return Json(target); },
          [&target, range](const Json& value) { target = checked_number(value, range); }};
}

// Adds fields whose keys have the same prefix.
class PrefixedFields {
 public:
  PrefixedFields(std::vector<ConfigField>& fields, std::string prefix) : fields_(fields), prefix_(std::move(prefix)) {}
  void add(const char* key, const char* meaning, double& target, Range range) {
    fields_.push_back(number(prefix_ + key, meaning, target, range));
  }
  template <class Integer>
  void count(const char* key, const char* meaning, Integer& target, Range range) {
    fields_.push_back(integer(prefix_ + key, meaning, target, range));
  }

 private:
  std::vector<ConfigField>& fields_;
  std::string prefix_;
};

inline ConfigField optional_number(std::string key, std::string meaning, std::optional<double>& target, Range range) {
  Json schema = number_schema("number", range);
  schema["type"] = {"number", "null"};
  return {std::move(key), std::move(meaning), std::move(schema),
          [&target] { return target ? Json(*target) : Json(nullptr); },
          [&target, range](const Json& value) {
            target = value.is_null() ? std::nullopt : std::optional(checked_number(value, range));
          }};
}

inline ConfigField optional_integer(std::string key, std::string meaning, std::optional<std::int64_t>& target,
                                    Range range) {
  Json schema = number_schema("integer", range);
  schema["type"] = {"integer", "null"};
  return {std::move(key), std::move(meaning), std::move(schema),
          [&target] { return target ? Json(*target) : Json(nullptr); },
          [&target, range](const Json& value) {
            target = value.is_null() ? std::nullopt : std::optional(checked_integer(value, range));
          }};
}

inline ConfigField boolean(std::string key, std::string meaning, bool& target) {
  return {std::move(key),
          std::move(meaning),
          {{"type", "boolean"}},
          [&target] { return Json(target); },
          [&target](const Json& value) {
            if (!value.is_boolean()) reject(value, "true or false");
            target = value.get<bool>();
          }};
}

template <class Enum>
ConfigField choice(std::string key, std::string meaning, Enum& target,
                   std::vector<std::pair<Enum, const char*>> names) {
  Json allowed = Json::array();
  for (const auto& [unused, name] : names) allowed.push_back(name);
  const auto get = [&target, names] {
    for (const auto& [value, name] : names)
      if (value == target) return Json(name);
    return Json();
  };
  const auto set = [&target, names, allowed](const Json& value) {
    const auto text = value.is_string() ? value.get<std::string>() : std::string();
    for (const auto& [candidate, name] : names)
      if (text == name) {
        target = candidate;
        return;
      }
    reject(value, "one of " + allowed.dump());
  };
  return {std::move(key), std::move(meaning), {{"enum", allowed}}, get, set};
}

// Adds a Duration under two keys, NAME_s and NAME_samples. Output uses the key that was set.
inline void add_duration(std::vector<ConfigField>& fields, const std::string& key, const std::string& meaning,
                         Duration& target, bool may_be_zero = false) {
  const auto in_unit = [&](const char* suffix, const char* unit, bool is_samples, double max) {
    const Range range{may_be_zero ? 0.0 : (is_samples ? 1.0 : 1e-6), max};
    fields.push_back({key + suffix, meaning + ", " + unit, number_schema("number", range),
                      [&target, is_samples] {
                        return target.in_samples == is_samples ? Json(target.value) : Json(Json::value_t::discarded);
                      },
                      [&target, is_samples, range](const Json& value) {
                        target = {is_samples ? static_cast<double>(checked_integer(value, range))
                                             : checked_number(value, range),
                                  is_samples};
                      }});
  };
  in_unit("_s", "seconds", false, 3600);
  in_unit("_samples", "samples", true, kMany);
}

// Parses the numbers of "cuda:0,2"; nullopt if the text does not have this form, or names a GPU twice.
inline std::optional<std::vector<int>> gpu_numbers(std::string_view text) {
  constexpr std::string_view kPrefix = "cuda:";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  std::vector<int> numbers;
  std::istringstream list{std::string(text.substr(kPrefix.size())) + ","};
  for (std::string number; std::getline(list, number, ',');) {
    if (number.empty() || number.size() > 3 || !std::ranges::all_of(number, decimal::is_digit)) return std::nullopt;
    if (std::ranges::find(numbers, std::stoi(number)) != numbers.end()) return std::nullopt;
    numbers.push_back(std::stoi(number));
  }
  return numbers;
}

// Accepts "auto", "cpu", "cuda" (all GPUs) or "cuda:N,..." (those).
inline ConfigField device(std::string key, std::string meaning, DeviceChoice& kind, std::vector<int>& gpus) {
  const auto get = [&kind, &gpus] {
    const char* names[] = {"auto", "cpu", "cuda"};
    std::string text = names[static_cast<int>(kind)];
    for (std::size_t i = 0; i < gpus.size(); ++i) text += (i == 0 ? ":" : ",") + std::to_string(gpus[i]);
    return Json(text);
  };
  const auto set = [&kind, &gpus](const Json& value) {
    const auto text = value.is_string() ? value.get<std::string>() : "";
    const auto numbers = gpu_numbers(text);
    if (text != "auto" && text != "cpu" && text != "cuda" && !numbers)
      reject(value, R"(one of ["auto","cpu","cuda"] or "cuda:N" or "cuda:N,M,...")");
    kind = text == "auto" ? DeviceChoice::automatic : text == "cpu" ? DeviceChoice::cpu : DeviceChoice::cuda;
    gpus = numbers.value_or(std::vector<int>{});
  };
  return {std::move(key),
          std::move(meaning),
          {{"type", "string"},
           {"pattern", "^(auto|cpu|cuda(:[0-9]{1,3}(,[0-9]{1,3})*)?)$"},
           {"examples", {"auto", "cpu", "cuda", "cuda:0,2"}}},
          get,
          set};
}

inline ConfigField text(std::string key, std::string meaning, std::string& target, std::size_t longest) {
  return {std::move(key),
          std::move(meaning),
          {{"type", "string"}, {"maxLength", longest}},
          [&target] { return Json(target); },
          [&target, longest](const Json& value) {
            if (!value.is_string() || value.get<std::string>().size() > longest)
              reject(value, "a text of at most " + std::to_string(longest) + " characters");
            target = value.get<std::string>();
          }};
}

inline ConfigField integers(std::string key, std::string meaning, std::vector<int>& target, Range range) {
  return {std::move(key),
          std::move(meaning),
          {{"type", "array"}, {"minItems", 1}, {"items", number_schema("integer", range)}},
          [&target] { return Json(target); },
          [&target, range](const Json& value) {
            if (!value.is_array() || value.empty()) reject(value, "a list of whole numbers");
            std::vector<int> numbers;
            for (const auto& item : value) numbers.push_back(static_cast<int>(checked_integer(item, range)));
            target = std::move(numbers);
          }};
}

inline Json json_of(const WantedLead& wanted) {
  return wanted.is_number ? Json(std::stoll(wanted.text)) : Json(wanted.text);
}

// Returns a column by its name or its position; nullopt if the value is neither.
inline std::optional<WantedLead> wanted_lead(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() > kMany) return std::nullopt;
  return WantedLead::at(value.get<std::int64_t>());
}

// Accepts the name of a column, or its position as a number.
inline ConfigField column(std::string key, std::string meaning, WantedLead& target) {
  return {std::move(key),
          std::move(meaning),
          {{"type", {"string", "integer"}}, {"minimum", 0}},
          [&target] { return json_of(target); },
          [&target](const Json& value) {
            auto wanted = wanted_lead(value);
            if (!wanted) reject(value, "a column's name or its position, counted from 0");
            target = *std::move(wanted);
          }};
}

// Accepts "auto" (an empty list), or several columns: a list of names and positions, or names separated by commas.
inline ConfigField columns(std::string key, std::string meaning, std::vector<WantedLead>& target, std::size_t most) {
  const auto json_of_all = [&target] {
    Json items = Json::array();
    for (const auto& wanted : target) items.push_back(json_of(wanted));
    return items;
  };
  const auto items_of = [](const Json& value) {
    if (!value.is_string()) return value.is_array() ? value : Json::array({value});
    Json items = Json::array();
    std::stringstream text(value.get<std::string>());
    for (std::string item; std::getline(text, item, ',');) items.push_back(item);
    return items;
  };
  Json item = {{"type", {"string", "integer"}}, {"minimum", 0}, {"minLength", 1}};
  return {std::move(key),
          std::move(meaning),
          {{"type", {"string", "integer", "array"}},
           {"minLength", 1},
           {"minItems", 1},
           {"maxItems", most},
           {"items", std::move(item)}},
          [&target, json_of_all] { return target.empty() ? Json("auto") : json_of_all(); },
          [&target, most, items_of](const Json& value) {
            std::vector<WantedLead> leads;
            if (value != "auto") {
              for (const auto& one : items_of(value)) leads.push_back(wanted_lead(one).value_or(WantedLead()));
              if (leads.empty() || leads.size() > most || std::ranges::count(leads, WantedLead()) > 0)
                reject(value,
                       "\"auto\", or a list of 1 to " + std::to_string(most) + " names or positions, counted from 0");
            }
            target = std::move(leads);
          }};
}

inline ConfigField delimiter(std::string key, std::string meaning, std::string& target) {
  return {std::move(key),
          std::move(meaning),
          {{"type", "string"}, {"maxLength", 1}},
          [&target] { return Json(target); },
          [&target](const Json& value) {
            if (!value.is_string() || value.get<std::string>().size() > 1) reject(value, "one character, or empty");
            const auto text = value.get<std::string>();
            if (!text.empty() &&
                (decimal::is_digit(text[0]) || std::string_view("+-.eE\"\r\n").find(text[0]) != std::string_view::npos))
              reject(value, "a character that can separate numbers");
            target = text;
          }};
}

// Accepts ".", "," or nothing.
inline ConfigField decimal_mark(std::string key, std::string meaning, std::string& target) {
  return {std::move(key),
          std::move(meaning),
          {{"enum", {"", ".", ","}}},
          [&target] { return Json(target); },
          [&target](const Json& value) {
            const auto text = value.is_string() ? value.get<std::string>() : "no string";
            if (text != "" && text != "." && text != ",") reject(value, "a point, a comma, or empty");
            target = text;
          }};
}

// Accepts a number, "-" for none, or nothing.
inline ConfigField missing_code(std::string key, std::string meaning, MissingCode& target) {
  return {std::move(key),
          std::move(meaning),
          {{"type", {"string", "number"}}},
          [&target] { return target.value ? Json(*target.value) : Json(target.is_found ? "" : "-"); },
          [&target](const Json& value) {
            if (value == "" || value == "-") {
              target = {value == "", {}};
              return;
            }
            std::optional<double> code;
            if (value.is_number()) code = value.get<double>();
            if (value.is_string()) code = parse_double(value.get<std::string>());  // as --set gives it
            if (!code || !std::isfinite(static_cast<float>(*code))) reject(value, "a number, \"-\" for none, or empty");
            target = {true, static_cast<float>(*code)};
          }};
}

}  // namespace beatscan::fields
