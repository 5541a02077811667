// app/config/config_fields.h — the table of options, with key, meaning, type and range of each.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/text/json.h"

namespace beatscan {

struct Config;
struct EpisodeOptions;
struct EvidenceOptions;

// One key of the configuration, bound to its place in a Config.
struct ConfigField {
  std::string key;                       // "filter.precision"
  std::string meaning;                   // one line, with the unit
  Json schema;                           // type and range
  std::function<Json()> get;             // null: it has no value; discarded: another key has the value
  std::function<void(const Json&)> set;  // throws std::invalid_argument saying what is wrong with the value
};

// Returns the fields of `config`, in the order in which they are shown. They refer to `config`.
std::vector<ConfigField> fields_of(Config& config);

// Returns a key without the "_s" or "_samples" at its end: a length may be given in either.
std::string key_without_unit(const std::string& key);

// Adds the fields for finding and ranking beats around R peaks.
void add_r_peak_fields(std::vector<ConfigField>& fields, Config& config);

// Adds the fields for episodes, told from beats.
void add_episode_fields(std::vector<ConfigField>& fields, EpisodeOptions& episodes, EvidenceOptions& evidence);

}  // namespace beatscan
