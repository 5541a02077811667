#include "app/config_fields.h"

#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "kernels/detect.h"
#include "kernels/distances.h"
#include "kernels/neighbourhood.h"

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

void add_detect_fields(std::vector<ConfigField>& fields, DetectOptions& d) {
  const auto add = [&](const char* key, const char* meaning, double& target, Range range) {
    fields.push_back(number(std::string("detect.") + key, meaning, target, range));
  };
  const Range seconds{0, 2}, share{0, 10}, hertz{1, 30};
  add("band_hz", "centre of the QRS band", d.band_hz, hertz);
  add("sharp_band_hz", "centre of the band that T waves do not reach", d.sharp_band_hz, hertz);
  add("smooth_s", "sigma of the envelope's Gaussian", d.smooth_s, {0.001, 0.2});
  add("distance_s", "a candidate is the largest envelope value within this", d.distance_s, {0.01, 1});
  add("edge_s", "candidates are not nearer to an end of the recording", d.edge_s, seconds);
  add("block_s", "the local level is the median of the maxima of such blocks", d.block_s, {0.5, 60});
  fields.push_back(integer("detect.level_blocks", "so many blocks on either side", d.level_blocks, {0, kMaxReach}));
  add("floor_local", "the local level is at least this times the median of all blocks", d.floor_local, share);
  add("floor_peak", "and this times the largest", d.floor_peak, {0, 1});
  add("keep", "lowest height of a beat, in local levels", d.keep, share);
  add("t_soon_s", "a T wave follows a higher candidate within this", d.t_soon_s, seconds);
  add("t_soon_height", "with less than this share of its height", d.t_soon_height, share);
  add("t_late_s", "or within this", d.t_late_s, seconds);
  add("t_late_sharp", "with less than this share of its height in the sharp band", d.t_late_sharp, share);
  add("t_late_height", "and of its height", d.t_late_height, share);
  fields.push_back(integer("detect.search_rounds", "of search-back", d.search_rounds, {0, 10}));
  add("search_gap", "in gaps longer than this times the local median RR", d.search_gap, {1, 100});
  fields.push_back(integer("detect.search_beats", "which is taken over so many intervals on either side",
                           d.search_beats, {0, kMaxReach}));
  add("search_height", "lowest height of such a beat", d.search_height, share);
  add("search_soonest_s", "it is more than this behind the beat before", d.search_soonest_s, seconds);
  add("search_after", "and more than this share of the median RR", d.search_after, share);
  add("search_before", "and this share before the next beat", d.search_before, share);
  fields.push_back(integer("detect.search_candidates", "so many candidates of a gap are looked at", d.search_candidates,
                           {1, 10000}));
  add("peak_band_hz", "band whose largest value is the R peak", d.peak_band_hz, hertz);
  add("peak_sigma_s", "weighted by a Gaussian around the envelope's peak", d.peak_sigma_s, {0.001, 1});
  add("peak_reach_s", "within this on either side", d.peak_reach_s, {0, 0.5});
}

void add_r_peak_fields(std::vector<ConfigField>& fields, Config& c) {
  add_detect_fields(fields, c.detect);
  fields.push_back(number("quality.flat_range", "flat: a block spans less than this times the median block",
                          c.quality.flat_range, {0, 1}));
  fields.push_back(number("quality.clip_s", "clipped: more than this of a block on plateaus at an end of the range",
                          c.quality.clip_s, {0, 10}));
  fields.push_back(number("quality.noisy_rest", "noisy: the envelope is above this times the local level",
                          c.quality.noisy_rest, {0, 10}));
  fields.push_back(number("quality.noisy_share", "for more than this share of a block", c.quality.noisy_share, {0, 1}));
  fields.push_back(number("rows.before_s", "what a row covers before the R peak", c.rows.before_s, {0.01, 1}));
  fields.push_back(number("rows.after_s", "and behind it", c.rows.after_s, {0.01, 2}));
  fields.push_back(number("rows.low_hz", "lower end of the band", c.rows.low_hz, {0.1, 5}));
  fields.push_back(number("rows.high_hz", "upper end of the band", c.rows.high_hz, {5, 1000}));
  fields.push_back(integer("rows.points", "points of a row, a multiple of 64", c.rows.points, {64, 4096}));
  fields.push_back(integer("rows.reference_beats", "regular beats that stand for what is normal",
                           c.rows.reference_beats, {2, kMostReferences}));
  fields.push_back(integer("rhythm.reference_beats", "intervals on either side that the reference RR is taken over",
                           c.rhythm.reference_beats, {1, 10000}));
  fields.push_back(
      number("rhythm.reference_quantile", "of them that is the reference", c.rhythm.reference_quantile, {0, 1}));
  fields.push_back(number("rhythm.cap", "most that either term of the rhythm gives", c.rhythm.cap, {0, 1000}));
  fields.push_back(number("rhythm.prev_weight", "of being early", c.rhythm.prev_weight, {0, 100}));
  fields.push_back(number("rhythm.next_weight", "of the pause behind", c.rhythm.next_weight, {0, 100}));
  fields.push_back(number("rhythm.typical_spread", "of log RR; half of what deviations are measured by",
                          c.rhythm.typical_spread, {0.001, 10}));
  fields.push_back(number("rhythm.regular", "a beat is regular within this of the local median RR, as a logarithm",
                          c.rhythm.regular, {0, 10}));
}

}  // namespace

std::vector<ConfigField> fields_of(Config& c) {
  std::vector<ConfigField> fields;
  fields.push_back(integer("seed", "of every random number in a run", c.seed, {0, 9007199254740992.0}));
  fields.push_back(choice<DeviceChoice>(
      "device", "where to work; auto: a GPU if there is one", c.device,
      {{DeviceChoice::automatic, "auto"}, {DeviceChoice::cpu, "cpu"}, {DeviceChoice::cuda, "cuda"}}));
  fields.push_back(choice<Method>(
      "method",
      "of finding beats: around R peaks (detect, quality, rows, rhythm), or as published (filter, segment, embed)",
      c.method, {{Method::r_peaks, "r_peaks"}, {Method::published, "published"}}));
  fields.push_back(column("ingest.column",
                          "column to read, by name or position from 0; empty: the first that is no time",
                          c.ingest.column));
  fields.push_back(delimiter("ingest.delimiter", "between columns, one character; empty: found from the first line",
                             c.ingest.delimiter));
  fields.push_back(optional_number("ingest.sample_rate_hz", "sampling rate, Hz; null: not known",
                                   c.ingest.sample_rate_hz, {1, 100000}));
  fields.push_back(integer("ingest.chunk_bytes", "text read, copied and parsed at a time, bytes", c.ingest.chunk_bytes,
                           {1024, 1 << 30}));
  add_r_peak_fields(fields, c);
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
  fields.push_back(number("vae.learning_rate", "of Adam in the first step", c.vae.learning_rate, {1e-9, 10}));
  fields.push_back(number("vae.last_learning_rate", "of Adam in the last step, reached exponentially",
                          c.vae.last_learning_rate, {1e-9, 10}));
  fields.push_back(integer("vae.batch_beats", "beats a training step", c.vae.batch_beats, {1, 1 << 20}));
  fields.push_back(integer("vae.least_steps",
                           "smaller batches, of 32 beats at least, where the epochs have fewer steps than this",
                           c.vae.least_steps, {0, 1 << 20}));
  fields.push_back(integer("vae.epochs", "passes over the training beats", c.vae.epochs, {1, 100000}));
  fields.push_back(number("vae.train_fraction", "share of the beats fit to learn from to train on; the rest tests",
                          c.vae.train_fraction, {0.01, 1}));
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
  const Range weight{0, 100};
  fields.push_back(
      number("score.median_weight", "of the distance from the median beat", c.score.median_weight, weight));
  fields.push_back(
      number("score.nearest_weight", "of that from the nearest reference beats", c.score.nearest_weight, weight));
  fields.push_back(number("score.model_weight", "of that from what the model decodes from the usual beats around",
                          c.score.model_weight, weight));
  fields.push_back(number("score.nearest_share", "share of the reference beats that are the nearest",
                          c.score.nearest_share, {0, 1}));
  fields.push_back(integer("score.model_beats", "so many usual beats around a beat", c.score.model_beats, {1, kMostNeighbours}));
  fields.push_back(number("score.typical_spread", "of the distances' logarithms; half of what they are measured by",
                          c.score.typical_spread, {0.01, 100}));
  return fields;
}

}  // namespace beatscan
