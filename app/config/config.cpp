#include "app/config/config.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/common/json_text.h"
#include "app/common/whole_file.h"
#include "app/config/builtin_configs.h"
#include "app/config/config_fields.h"
#include "kernels/detect/local_band.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/convolve.h"
#include "kernels/signal/peaks.h"
#include "kernels/waves/window.h"
#include "kernels/windows/distances.h"
#include "stages/common/nearest_name.h"
#include "stages/common/one_line.h"
#include "stages/model/vae.h"

namespace beatscan {

namespace {

// "vae" of "vae.epochs"; empty for a key without a section.
std::string section_of(const std::string& key) {
  const auto dot = key.find('.');
  return dot == key.npos ? "" : key.substr(0, dot);
}

std::vector<std::string> sections_of(const std::vector<std::string>& keys) {
  std::vector<std::string> sections;
  for (const auto& key : keys)
    if (const auto section = section_of(key); !section.empty() && !std::ranges::count(sections, section))
      sections.push_back(section);
  return sections;
}

// The keys of the section that contain this name; all keys of the section if there are none.
std::vector<std::string> keys_in(const std::string& section, const std::string& name,
                                 const std::vector<std::string>& keys) {
  std::vector<std::string> all, similar;
  for (const auto& key : keys) {
    if (section_of(key) != section) continue;
    all.push_back(key);
    if (!name.empty() && key.find(name, section.size()) != key.npos) similar.push_back(key);
  }
  return similar.empty() ? all : similar;
}

// The keys that have this name in their section: "vae.epochs" for "epochs".
std::vector<std::string> keys_named(const std::string& name, const std::vector<std::string>& keys) {
  std::vector<std::string> found;
  std::ranges::copy_if(keys, std::back_inserter(found), [&](const auto& key) { return key.ends_with("." + name); });
  return found;
}

// Returns the end of a message about an unknown key: the nearest key; or the keys of the (perhaps mistyped) section; or
// how to list all keys.
std::string suggestion(const std::string& unknown_key, const std::vector<std::string>& keys) {
  if (const auto nearest = nearest_name(unknown_key, keys); !nearest.empty())
    return "; did you mean '" + nearest + "'?";
  if (const auto named = keys_named(unknown_key, keys); named.size() == 1) return "; did you mean '" + named[0] + "'?";
  const auto dot = unknown_key.find('.');
  const std::string first = unknown_key.substr(0, dot), name = dot == first.npos ? "" : unknown_key.substr(dot + 1);
  const auto sections = sections_of(keys);
  const auto section = std::ranges::count(sections, first) ? first : nearest_name(first, sections);
  if (section.empty()) return "; `beatscan config show` lists all";
  const auto candidates = keys_in(section, name, keys);
  if (candidates.size() == 1) return "; did you mean '" + candidates[0] + "'?";
  return "; the section '" + section + "' has " + listed_names(candidates);
}

// Throws ErrorKind::usage. The keys and values quoted in `what` may hold any bytes.
[[noreturn]] void refuse(const std::string& source, const std::string& what) {
  fail(ErrorKind::usage, source, in_one_line(what));
}

[[noreturn]] void refuse_unknown(const std::string& source, const std::string& key,
                                 const std::vector<ConfigField>& fields) {
  std::vector<std::string> keys;
  keys.reserve(fields.size());
  for (const auto& field : fields) keys.push_back(field.key);
  refuse(source, "unknown key '" + key + "'" + suggestion(key, keys));
}

void set_field(std::vector<ConfigField>& fields, const std::string& key, const Json& value, const std::string& source) {
  const auto field = std::ranges::find(fields, key, &ConfigField::key);
  if (field == fields.end()) refuse_unknown(source, key, fields);
  try {
    field->set(value);
  } catch (const std::invalid_argument& error) {
    refuse(source, key + ": " + error.what());
  }
}

// Returns whether a key takes text as well as numbers, such as a key that names a column.
bool takes_text_too(const std::vector<ConfigField>& fields, const std::string& key) {
  const auto field = std::ranges::find(fields, key, &ConfigField::key);
  if (field == fields.end() || !field->schema.contains("type")) return false;
  const Json& types = field->schema["type"];
  return types.is_array() && std::ranges::count(types, Json("string")) > 0;
}

// Returns the key without its unit. "filter.width_s" and "filter.width_samples" are the same length; a document may
// have only one of them.
void apply_object(std::vector<ConfigField>& fields, std::set<std::string>& seen, const Json& object,
                  const std::string& prefix, const std::string& source) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = prefix + name;
    const bool is_section =
        std::ranges::any_of(fields, [&](const auto& field) { return field.key.starts_with(key + "."); });
    if (is_section) {
      if (!value.is_object()) refuse(source, key + ": " + text_of(value, -1) + " is not an object");
      apply_object(fields, seen, value, key + ".", source);
    } else if (prefix.empty() && name == "$schema") {
      continue;
    } else {
      set_field(fields, key, value, source);
      if (!seen.insert(key_without_unit(key)).second)
        refuse(source, key + ": given in seconds and in samples; keep one of them");
    }
  }
}

Json parse_document(const std::string& text, const std::string& source) {
  try {
    return parse_json<Json>(text);
  } catch (const std::invalid_argument& error) {
    refuse(source, error.what());
  }
}

std::string read_named(const std::string& file_or_name) {
  for (const auto& [name, json] : kBuiltinConfigs)
    if (file_or_name == name) return json;
  std::string text = read_whole_file(file_or_name, kConfigFile);
  if (text.empty()) refuse(file_or_name, "is empty; write {} to change no option");
  return text;
}

void apply_setting(Config& config, const std::string& setting) {
  const std::string key = key_of_setting(setting);
  const std::string text = setting.substr(key.size() + 1);
  Json value = parse_json_if_any<Json>(text);
  if (value.is_discarded()) value = text;  // a bare word is a string
  auto fields = fields_of(config);
  if (value.is_number_unsigned() && takes_text_too(fields, key)) value = text;  // like --lead, it may be a name
  set_field(fields, key, value, "--set");
}

// The value at "section.name" or "name". Creates a missing section.
Json& at_path(Json& root, const std::string& key) {
  const auto dot = key.find('.');
  if (dot == key.npos) return root[key];
  Json& section = root[key.substr(0, dot)];
  if (section.is_null()) section = Json::object();  // operator[] would too, but not safely when memory runs out
  return section[key.substr(dot + 1)];
}

// Checks the detector's sizes in samples, at a known rate.
void check_detector(const DetectOptions& detect, double rate) {
  if (!(rate >= kLowestRate && rate <= kHighestRate))
    refuse("ingest.sample_rate_hz", text_of(rate, -1) + " Hz: R peaks can be found at " + text_of(kLowestRate, -1) +
                                        " to " + text_of(kHighestRate, -1) + " Hz; resample the recording");
  const auto at_most = [&](const char* key, std::int64_t size, std::int64_t most) {
    if (size > most)
      refuse(key, "comes to " + std::to_string(size) + " samples at " + text_of(rate, -1) + " Hz, and " +
                      std::to_string(most) + " are supported");
  };
  at_most("detect.band_hz", std::ssize(band_wavelet(detect.band_hz, rate)), kMaxTaps);
  at_most("detect.smooth_s", std::ssize(gaussian(detect.smooth_s, rate)), kMaxTaps);
  constexpr int kLeastDistance = 2 * kRefineReach + 1;  // closer candidates could change their order when refined
  if (detect.distance_s * rate < kLeastDistance)
    refuse("detect.distance_s",
           "is less than " + std::to_string(kLeastDistance) + " samples at " + text_of(rate, -1) + " Hz");
}

// Checks that the beat table can be made at a known rate: it has P, QRS and T waves.
void check_features(double rate) {
  if (rate < waves::kLeastRateHz || rate > waves::kMostRateHz)
    refuse("output.features", "the beat table is made at " + text_of(waves::kLeastRateHz, -1) + " to " +
                                  text_of(waves::kMostRateHz, -1) + " Hz; resample the recording, or leave it out");
}

void check_r_peaks(const Config& config) {
  if (config.ingest.sample_rate_hz) check_detector(config.detect, *config.ingest.sample_rate_hz);
  if (config.ingest.sample_rate_hz && config.output.features) check_features(*config.ingest.sample_rate_hz);
  if (config.rows.points % kPooledPoints != 0)
    refuse("rows.points", std::to_string(config.rows.points) + " is no multiple of " + std::to_string(kPooledPoints));
  const auto& score = config.score;
  if (score.median_weight + score.nearest_weight + score.model_weight == 0)
    refuse("score.*_weight", "all three are 0; one must be positive");
  if (config.rows.low_hz >= config.rows.high_hz) refuse("rows.low_hz", "is not below rows.high_hz");
}

}  // namespace

std::string key_of_setting(const std::string& setting) {
  const auto equals = setting.find('=');
  if (equals == setting.npos || equals == 0) refuse("--set", "'" + setting + "' is not KEY=VALUE");
  return setting.substr(0, equals);
}

void apply(Config& config, const Json& document, const std::string& source) {
  if (!document.is_object()) refuse(source, "a configuration is a JSON object");
  auto fields = fields_of(config);
  std::set<std::string> seen;
  apply_object(fields, seen, document, "", source);
}

Config load_config(const std::string& file_or_name, const std::vector<std::string>& settings, const Config& base) {
  Config config = base;
  if (!file_or_name.empty()) apply(config, parse_document(read_named(file_or_name), file_or_name), file_or_name);
  for (const auto& setting : settings) apply_setting(config, setting);
  return config;
}

void check_episodes(const EpisodeOptions& episodes) {
  if (episodes.intervals.shortest_s >= episodes.intervals.longest_s)
    refuse("episodes.longest_rr_s",
           "is not above " + text_of(episodes.intervals.shortest_s, -1) + ", the shortest RR interval in seconds");
  if (episodes.rates.slow_bpm > episodes.rates.fast_bpm) refuse("episodes.slow_bpm", "is more than episodes.fast_bpm");
}

void check_config(const Config& config) {
  const auto rate = config.ingest.sample_rate_hz;
  if (config.pool.kind == PoolKind::managed && config.pool.limit_bytes > 0)
    refuse("pool.limit_bytes", "is for pool.kind=device: managed memory moves to the host by itself");
  if (config.method == Method::r_peaks) check_r_peaks(config);
  check_episodes(config.episodes);
  check_topology(config.vae, row_points_of(config));
  if (config.method == Method::r_peaks) return;
  if (config.vae.epochs == 0) refuse("vae.epochs", "0 trains no model, and the method published ranks by its model");
  if (config.ingest.column.empty() && config.ingest.leads.size() > 1)
    refuse("ingest.leads", "the method published reads one lead");
  for (const auto& [key, wanted] : {std::pair{"output.waves", config.output.waves},
                                    {"output.features", config.output.features},
                                    {"output.nn", config.output.nn},
                                    {"output.only", !config.output.only.empty()},
                                    {"hrv.window", config.hrv.window_s > 0}})
    if (wanted) refuse(key, "the method published has neither waves nor classes nor rhythm; leave it out");
  const auto known = [&](Duration size) { return size.in_samples || rate; };
  const auto at_most = [&](const char* key, Duration size, std::int64_t most) {
    if (known(size) && whole_samples(size, rate) > most)
      refuse(key, std::to_string(whole_samples(size, rate)) + " samples are more than the " + std::to_string(most) +
                      " supported");
  };
  at_most("filter.width", config.filter.width, kMaxTaps);
  at_most("segment.window", config.segment.window, kMaxPeakWindow);
  const Duration shortest = config.embed.min_length, longest = config.embed.max_length;
  if (known(shortest) && known(longest) && in_samples(shortest, rate) > in_samples(longest, rate))
    refuse("embed.min_length", "is more than embed.max_length, so no beat would be kept");
}

void check_rate_known(const Config& config) {
  const auto rate = config.ingest.sample_rate_hz;
  if (config.method == Method::r_peaks) in_samples(seconds(1), rate);
  if (config.method == Method::published)
    for (const Duration size : {config.filter.width, config.segment.window, config.embed.min_length,
                                config.embed.max_length, config.embed.row_span})
      in_samples(size, rate);
}

IngestOptions ingest_options(const Config& config) {
  IngestOptions options = config.ingest;
  options.first_lead_alone = config.method == Method::published;
  return options;
}

Json to_json(const Config& config) {
  Config copy = config;
  Json document = Json::object();
  for (const auto& field : fields_of(copy)) {
    Json value = field.get();
    if (!value.is_discarded()) at_path(document, field.key) = std::move(value);
  }
  return document;
}

Json config_schema() {
  Config defaults;
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "beatscan configuration"},
                 {"type", "object"},
                 {"additionalProperties", false},
                 {"properties", {{"$schema", {{"type", "string"}}}}}};
  for (const auto& field : fields_of(defaults)) {
    Json entry = field.schema;
    entry["description"] = field.meaning;
    if (const Json value = field.get(); !value.is_discarded()) entry["default"] = value;
    const auto dot = field.key.find('.');
    if (dot == field.key.npos) {
      schema["properties"][field.key] = std::move(entry);
      continue;
    }
    Json& section = schema["properties"][field.key.substr(0, dot)];
    if (section.is_null())
      section = {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
    section["properties"][field.key.substr(dot + 1)] = std::move(entry);
  }
  return schema;
}

}  // namespace beatscan
