#include "app/config_fields.h"

#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace beatscan {
namespace {

struct Range {
  double min, max;
};
constexpr double kMany = 1e9;

[[noreturn]] void reject(const Json& value, const std::string& wanted) {
  throw std::invalid_argument(value.dump(-1, ' ', false, Json::error_handler_t::replace) + " is not " + wanted);
}

std::string shown(Range range) {
  std::ostringstream text;
  text.precision(16);  // whole numbers as such
  text << range.min << " to " << range.max;
  return text.str();
}

double checked_number(const Json& value, Range range) {
  if (!value.is_number()) reject(value, "a number");
  const auto number = value.get<double>();
  if (!(number >= range.min && number <= range.max)) reject(value, "in the range " + shown(range));
  return number;
}

// 3.0 is taken for 3, 3.5 is refused (nlohmann would cut it in silence).
std::int64_t checked_integer(const Json& value, Range range) {
  const double number = checked_number(value, range);
  if (number != static_cast<double>(static_cast<std::int64_t>(number))) reject(value, "a whole number");
  return static_cast<std::int64_t>(number);
}

Json number_schema(const char* type, Range range) {
  return {{"type", type}, {"minimum", range.min}, {"maximum", range.max}};
}

template <class Integer>
ConfigField integer(std::string key, std::string meaning, Integer& target, Range range) {
  return {std::move(key), std::move(meaning), number_schema("integer", range), [&target] { return Json(target); },
          [&target, range](const Json& value) { target = static_cast<Integer>(checked_integer(value, range)); }};
}

ConfigField number(std::string key, std::string meaning, double& target, Range range) {
  return {std::move(key), std::move(meaning), number_schema("number", range), [&target] { return Json(target); },
          [&target, range](const Json& value) { target = checked_number(value, range); }};
}

ConfigField optional_number(std::string key, std::string meaning, std::optional<double>& target, Range range) {
  Json schema = number_schema("number", range);
  schema["type"] = {"number", "null"};
  return {std::move(key), std::move(meaning), std::move(schema),
          [&target] { return target ? Json(*target) : Json(nullptr); },
          [&target, range](const Json& value) {
            target = value.is_null() ? std::nullopt : std::optional(checked_number(value, range));
          }};
}

ConfigField boolean(std::string key, std::string meaning, bool& target) {
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
    for (const auto& [candidate, name] : names)
      if (value == name) {
        target = candidate;
        return;
      }
    reject(value, "one of " + allowed.dump());
  };
  return {std::move(key), std::move(meaning), {{"enum", allowed}}, get, set};
}

// A Duration is one field in two keys, NAME_s and NAME_samples; the one that was written is the one that is shown.
void add_duration(std::vector<ConfigField>& fields, const std::string& key, const std::string& meaning,
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

// The name of a column, or its position as a number.
ConfigField column(std::string key, std::string meaning, std::string& target) {
  return {std::move(key),
          std::move(meaning),
          {{"type", {"string", "integer"}}, {"minimum", 0}},
          [&target] { return Json(target); },
          [&target](const Json& value) {
            if (value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0))
              target = std::to_string(value.get<std::int64_t>());
            else if (value.is_string())
              target = value.get<std::string>();
            else
              reject(value, "a column's name or its position, counted from 0");
          }};
}

ConfigField delimiter(std::string key, std::string meaning, std::string& target) {
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

ConfigField integers(std::string key, std::string meaning, std::vector<int>& target, Range range) {
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

}  // namespace

std::vector<ConfigField> fields_of(Config& c) {
  std::vector<ConfigField> fields;
  fields.push_back(integer("seed", "of every random number in a run", c.seed, {0, 9007199254740992.0}));
  fields.push_back(choice<DeviceChoice>(
      "device", "where to work; auto: a GPU if there is one", c.device,
      {{DeviceChoice::automatic, "auto"}, {DeviceChoice::cpu, "cpu"}, {DeviceChoice::cuda, "cuda"}}));
  fields.push_back(column("ingest.column",
                          "column to read, by name or position from 0; empty: the first that is no time",
                          c.ingest.column));
  fields.push_back(delimiter("ingest.delimiter", "between columns, one character; empty: found from the first line",
                             c.ingest.delimiter));
  fields.push_back(optional_number("ingest.sample_rate_hz", "sampling rate, Hz; null: not known",
                                   c.ingest.sample_rate_hz, {1, 100000}));
  fields.push_back(integer("ingest.chunk_bytes", "text read, copied and parsed at a time, bytes", c.ingest.chunk_bytes,
                           {1024, 1 << 30}));
  add_duration(fields, "filter.width", "width of the Ricker wavelet", c.filter.width);
  fields.push_back(
      boolean("filter.centred", "wavelet centred, so that the response peaks at the R peak", c.filter.centred));
  fields.push_back(choice<Precision>("filter.precision", "of the convolution", c.filter.precision,
                                     {{Precision::float32, "float32"}, {Precision::float64, "float64"}}));
  add_duration(fields, "segment.window", "window whose largest value is a beat's peak", c.segment.window);
  add_duration(fields, "embed.min_length", "shortest beat (start to next start) that is kept", c.embed.min_length,
               true);
  add_duration(fields, "embed.max_length", "longest beat that is kept", c.embed.max_length);
  add_duration(fields, "embed.row_span", "what a row covers from a beat's start on", c.embed.row_span);
  fields.push_back(integer("embed.row_points", "points of a row", c.embed.row_points, {2, 1 << 16}));
  fields.push_back(
      integers("vae.channels", "of the encoder's convolutions, each twice the one before", c.vae.channels, {2, 1024}));
  fields.push_back(integer("vae.latents", "dimensions of the latent space", c.vae.latents, {1, 64}));
  fields.push_back(number("vae.kl_weight", "weight of the KL divergence in the loss", c.vae.kl_weight, {0, 1000}));
  fields.push_back(number("vae.learning_rate", "of Adam", c.vae.learning_rate, {1e-9, 10}));
  fields.push_back(integer("vae.batch_beats", "beats a training step", c.vae.batch_beats, {1, 1 << 20}));
  fields.push_back(integer("vae.epochs", "passes over the training beats", c.vae.epochs, {1, 100000}));
  fields.push_back(
      number("vae.train_fraction", "share of the kept beats to train on", c.vae.train_fraction, {0.01, 1}));
  fields.push_back(
      integer("vae.generated_beats", "beats decoded from random latents", c.vae.generated_beats, {0, 100000}));
  fields.push_back(choice<VaeEngine>(
      "vae.engine", "of training and scoring; auto: fused where it covers channels, latents and row_points",
      c.vae.engine, {{VaeEngine::automatic, "auto"}, {VaeEngine::fused, "fused"}, {VaeEngine::autograd, "autograd"}}));
  fields.push_back(number("score.threshold_deviations",
                          "a beat with a higher score is anomalous; robust standard deviations",
                          c.score.threshold_deviations, {-1000, 1000}));
  fields.push_back(optional_number("score.threshold_fraction",
                                   "instead: share of the training beats above the threshold",
                                   c.score.threshold_fraction, {0, 1}));
  return fields;
}

}  // namespace beatscan
