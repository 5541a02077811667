// app/config/config_fields.h — the table of options, with key, meaning, type and range of each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/common/json.h"

namespace beatscan {

struct Config;
struct EpisodeOptions;
struct EvidenceOptions;

// One key of the configuration, bound to its place in a Config.
struct ConfigField {
  std::string key;                       // "filter.precision"
  std::string meaning;                   // one line, with the unit
  Json schema;                           // type and range
  std::function<Json()> get;             // null: it has no value; discarded: the value is under another key
  std::function<void(const Json&)> set;  // throws std::invalid_argument with the reason if the value is invalid
};

// Returns the fields of `config`, in display order. They refer to `config`.
std::vector<ConfigField> fields_of(Config& config);

// Returns a key without the "_s" or "_samples" at its end: a length may be given in either.
std::string key_without_unit(const std::string& key);

// Adds the fields for finding and ranking beats with method r_peaks.
void add_r_peak_fields(std::vector<ConfigField>& fields, Config& config);

// Adds the fields for outputs and for the parts that hrv.csv has.
void add_output_fields(std::vector<ConfigField>& fields, Config& config);

// Adds the fields for episodes, which are derived from beats.
void add_episode_fields(std::vector<ConfigField>& fields, EpisodeOptions& episodes, EvidenceOptions& evidence);

}  // namespace beatscan
