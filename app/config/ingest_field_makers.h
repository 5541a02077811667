// app/config/ingest_field_makers.h — creates the ConfigField of an option on how a file is read: which columns, and
// which delimiters.
#pragma once

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/field_makers.h"

namespace beatscan::fields {

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

}  // namespace beatscan::fields
