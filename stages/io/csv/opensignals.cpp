#include "stages/io/csv/opensignals.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace beatscan {
namespace {

// Returns what stands behind a key, from place `from` on, and moves `from` there; nothing if there is no such key.
std::optional<std::string_view> value_of(std::string_view json, std::string_view key, std::size_t& from) {
  const std::string quoted = '"' + std::string(key) + '"';
  const auto at = json.find(quoted, from);
  if (at == json.npos) return std::nullopt;
  from = std::min(json.find_first_not_of(" \t:", at + quoted.size()), json.size());
  return json.substr(from);
}

// Returns the texts of a list ["nSeq", "I1"].
std::vector<std::string> texts_in(std::string_view value) {
  std::vector<std::string> texts;
  if (!value.starts_with('[')) return texts;
  value = value.substr(1, value.find(']') - 1);
  for (auto begin = value.find('"'); begin != value.npos; begin = value.find('"', begin)) {
    const auto end = std::min(value.find('"', begin + 1), value.size());
    texts.emplace_back(value.substr(begin + 1, end - begin - 1));
    begin = std::min(end + 1, value.size());
  }
  return texts;
}

std::string text_of(std::string_view json, std::string_view key) {
  std::size_t from = 0;
  const auto value = value_of(json, key, from);
  return value && value->starts_with('"') ? std::string(value->substr(1, value->find('"', 1) - 1)) : "";
}

// Returns "2017-1-30" and "12:56:7.245" with two digits each, as dates are read elsewhere.
std::string start_of_texts(const std::string& date, const std::string& time) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
  if (std::sscanf(date.c_str(), "%d-%d-%d", &year, &month, &day) != 3) return "";
  if (std::sscanf(time.c_str(), "%d:%d:%lf", &hour, &minute, &second) != 3) return "";
  char text[80];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d %02d:%02d:%06.3f", year, month, day, hour, minute, second);
  return text;
}

}  // namespace

std::optional<OpenSignalsHeader> opensignals_header(std::string_view comment) {
  if (!comment.starts_with('{')) return std::nullopt;
  OpenSignalsHeader header;
  std::size_t of_rate = 0, of_columns = 0, of_sensors = 0;
  if (const auto rate = value_of(comment, "sampling rate", of_rate))
    std::from_chars(rate->data(), rate->data() + rate->size(), header.sample_rate_hz);
  while (const auto columns = value_of(comment, "column", of_columns)) {
    auto names = texts_in(*columns);
    const auto sensors = texts_in(value_of(comment, "sensor", of_sensors).value_or(""));
    const auto channels = std::min(sensors.size(), names.size());
    for (std::size_t i = 0; i < channels; ++i)
      if (const auto& sensor = sensors[sensors.size() - 1 - i]; sensor != "RAW" && !sensor.empty())
        names[names.size() - 1 - i] = sensor;
    header.columns.insert(header.columns.end(), names.begin(), names.end());
  }
  if (header.columns.empty()) return std::nullopt;
  const auto names = header.columns;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::ranges::count(names, names[i]) > 1)
      header.columns[i] += " " + std::to_string(1 + std::count(names.begin(), names.begin() + i, names[i]));
  header.start = start_of_texts(text_of(comment, "date"), text_of(comment, "time"));
  return header;
}

}  // namespace beatscan
