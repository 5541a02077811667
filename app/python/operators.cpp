#include "app/python/operators.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.h"
#include "app/config/config_fields.h"
#include "app/output/model_file.h"
#include "app/python/analysis.h"
#include "app/python/results.h"
#include "kernels/runtime/error.h"
#include "stages/methods/as_published.h"

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

// Returns ", float? detect_band_hz=None, …", a part of an operator's schema, for the options of some sections
// ("detect.") and for single ones ("method"). None, the default, does not change an option.
std::string keywords_of(const std::vector<std::string_view>& sections) {
  Config config;
  std::string keywords;
  for (const auto& field : fields_of(config))
    if (std::ranges::any_of(sections, [&](std::string_view section) { return field.key.starts_with(section); }))
      keywords += ", " + type_of(field.schema) + "? " + keyword_of(field.key) + "=None";
  return keywords;
}

// Returns an argument; null if it was not given.
Json given(const Call& call, const std::string& name) {
  const auto found = call.arguments.find(name);
  return found == call.arguments.end() ? Json() : *found;
}

const Array& array(const Call& call, const std::string& name) {
  const auto found = call.arrays.find(name);
  if (found == call.arrays.end()) fail(ErrorKind::usage, name, "is missing");
  return found->second;
}

// Applies the options given as keywords. Throws ErrorKind::usage for an invalid value, with `source` and the option.
void apply_keywords(Config& config, const Call& call, const std::string& source) {
  Config keys;
  Json document = Json::object();
  std::set<std::string> known{"config", "model", "rate_hz"};
  for (const auto& field : fields_of(keys)) {
    const std::string keyword = keyword_of(field.key);
    known.insert(keyword);
    const Json value = given(call, keyword);
    if (value.is_null()) continue;
    const auto dot = field.key.find('.');
    Json& section = dot == field.key.npos ? document : document[field.key.substr(0, dot)];
    section[field.key.substr(dot == field.key.npos ? 0 : dot + 1)] = value;
  }
  for (const auto& [name, value] : call.arguments.items())
    if (!known.contains(name)) fail(ErrorKind::usage, source, "there is no option '" + name + "'");
  apply(config, document, source);
}

// Overrides `base` by the configuration named in the argument `config`, the keywords and the rate, in this order.
Config config_of(const Call& call, const Config& base = {}) {
  const std::string source = "beatscan::" + call.name.substr(0, call.name.find('.'));
  const Json named = given(call, "config"), rate_hz = given(call, "rate_hz");
  Config config = named.is_null() ? base : load_config(named.get<std::string>(), {}, base);
  apply_keywords(config, call, source);
  if (!rate_hz.is_null()) apply(config, {{"ingest", {{"sample_rate_hz", rate_hz}}}}, source);
  return config;
}

Results ricker_response_of(const Call& call) {
  const Config config = config_of(call);
  const auto rate = config.ingest.sample_rate_hz;
  const Array& x = array(call, "x");
  const bool in_double = config.filter.precision == Precision::float64;
  Results results;
  if (!x.data) {
    results.emplace_back("response", OwnedArray{in_double ? ArrayType::float64 : ArrayType::float32, x.sizes, {}});
    return results;
  }
  if (!rate && !config.filter.width.in_samples)
    fail(ErrorKind::usage, "rate_hz", "the sampling rate is needed where filter_width_samples is not given");
  if (x.dim() > 1) fail(ErrorKind::usage, "x", "has " + std::to_string(x.dim()) + " dimensions; give one lead, [N]");
  at_place(call.place, [&](auto& context) {
    const auto recording = recording_of(context, x, rate);
    const auto signal = recording.leads.front().samples.span();
    results.emplace_back("response",
                         in_double ? array_of(context, ricker_response<double>(context, signal, config.filter, rate))
                                   : array_of(context, ricker_response<float>(context, signal, config.filter, rate)));
  });
  return results;
}

Results find_beats_in(const Call& call) {
  const Config config = config_of(call);
  const Array& x = array(call, "x");
  check_analysis(config, x);
  Results results;
  at_place(call.place, [&](auto& context) {
    const auto recording = recording_of(context, x, config.ingest.sample_rate_hz);
    auto found = find_r_peaks(context, recording, config);
    results.emplace_back("r_peaks", array_of(context, std::move(found.buffers.r_peaks)));
    results.emplace_back("quality", array_of(context, codes_of(found.list.quality)));
    results.emplace_back("blocks", blocks_of(context, x, recording, found.leads));
  });
  return results;
}

// Returns the argument `blocks` on the host; empty if it was not given, which means that all blocks are good.
template <class Context>
std::vector<std::vector<Quality>> given_blocks(Context& context, const Call& call,
                                               const Recording<Context>& recording) {
  const auto blocks = call.arrays.find("blocks");
  if (blocks == call.arrays.end() || std::ranges::count(blocks->second.sizes, 0) > 0) return {};
  return blocks_in(context, array(call, "x"), blocks->second, recording);
}

Results embed_beats_in(const Call& call) {
  const Config config = config_of(call);
  const Array& x = array(call, "x");
  check_analysis(config, x);
  Results results;
  at_place(call.place, [&](auto& context) {
    const auto recording = recording_of(context, x, config.ingest.sample_rate_hz);
    const auto r_peaks = span_of<double>(array(call, "r_peaks"), "r_peaks");
    const auto found = known_r_peaks(context, recording, r_peaks, given_blocks(context, call, recording), config);
    auto embedded = embed(context, recording, found, config);
    const auto lead_rows = rows_of_leads(recording);
    results.emplace_back("rows", take_rows(context, x, lead_rows, embedded));
    results.emplace_back("beats", array_of(context, std::move(embedded.rows.kept)));
    results.emplace_back("reference", reference_of(context, x, lead_rows, embedded));
  });
  return results;
}

Results delineate_in(const Call& call) {
  const Config config = config_of(call);
  const Array& x = array(call, "x");
  check_analysis(config, x);
  check_delineation(config);
  return at_place(call.place, [&](auto& context) {
    const auto recording = recording_of(context, x, config.ingest.sample_rate_hz);
    const auto r_peaks = span_of<double>(array(call, "r_peaks"), "r_peaks");
    if (r_peaks.empty()) fail(ErrorKind::usage, "r_peaks", "is empty; give a sample a beat");
    const auto beats = known_r_peaks(context, recording, r_peaks, given_blocks(context, call, recording), config);
    const auto found = delineated(context, recording, beats, config);
    return wave_arrays(context, x, beats.list, found, rows_of_leads(recording), config);
  });
}

Results scored(const Call& call, const Config& config, const std::vector<NamedArray>& parameters,
               const std::string& source) {
  const Array& x = array(call, "x");
  check_analysis(config, x);
  check_parameters(parameters, config, source);
  return at_place(call.place, [&](auto& context) {
    const auto recording = recording_of(context, x, config.ingest.sample_rate_hz);
    const auto found = find_r_peaks(context, recording, config);
    const auto embedded = embed(context, recording, found, config);
    return columns_of(context, found, embedded, score(context, recording, found.list, embedded, parameters, config),
                      rows_of_leads(recording));
  });
}

Results score_by_file(const Call& call) {
  const std::string path = given(call, "model").get<std::string>();
  const SavedModel model = read_model(path);
  return scored(call, config_of(call, model.config), model.parameters, path);
}

// Returns the model's parameters, which are on the host.
std::vector<NamedArray> parameters_in(const Call& call) {
  constexpr std::string_view kPrefix = "parameters.";
  std::vector<NamedArray> parameters;
  for (const auto& [name, array] : call.arrays) {
    if (!name.starts_with(kPrefix)) continue;
    const std::string own = name.substr(kPrefix.size());
    const auto values = span_of<float>(Array{array.type, {elements_of(array)}, array.data}, "parameters");
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
      fail(ErrorKind::input, "parameters", "'" + own + "' holds a value that is not finite");
    parameters.push_back({own, array.sizes, {values.begin(), values.end()}});
  }
  return parameters;
}

Results score_by_parameters(const Call& call) {
  return scored(call, config_of(call), parameters_in(call), "parameters");
}

using Operation = Results (*)(const Call&);
const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> all{{"ricker_response", ricker_response_of},
                                                    {"find_beats", find_beats_in},
                                                    {"embed_beats", embed_beats_in},
                                                    {"delineate", delineate_in},
                                                    {"score", score_by_file},
                                                    {"score.parameters", score_by_parameters}};
  return all;
}

}  // namespace

std::vector<std::string> schemas() {
  const std::string configuration = "*, str? config=None";
  // PyTorch allows at most 64 arguments: score takes the options of detection and of the published method only through
  // the configuration.
  const std::string scoring = keywords_of({"quality.", "rows.", "rhythm.", "score."});
  return {"ricker_response(Tensor x, float? rate_hz=None, " + configuration + keywords_of({"filter."}) + ") -> Tensor",
          "find_beats(Tensor x, float? rate_hz=None, " + configuration +
              keywords_of({"method", "detect.", "quality.", "filter.", "segment."}) +
              ") -> (Tensor r_peaks, Tensor quality, Tensor blocks)",
          "embed_beats(Tensor x, Tensor r_peaks, float? rate_hz=None, Tensor? blocks=None, " + configuration +
              keywords_of({"method", "rows.", "rhythm.", "segment.", "embed."}) +
              ") -> (Tensor rows, Tensor beats, Tensor reference)",
          "delineate(Tensor x, Tensor r_peaks, float? rate_hz=None, Tensor? blocks=None, " + configuration +
              keywords_of({"method", "quality.", "rows.", "rhythm.", "waves."}) + ") -> Dict(str, Tensor)",
          "score(Tensor x, float? rate_hz, str model, *" + scoring + ") -> Dict(str, Tensor)",
          "score.parameters(Tensor x, float? rate_hz, Dict(str, Tensor) parameters, " + configuration + scoring +
              ") -> Dict(str, Tensor)"};
}

Results run_operator(const Call& call) {
  const auto found = operations().find(call.name);
  if (found == operations().end()) fail(ErrorKind::usage, call.name, "there is no such operator");
  return found->second(call);
}

}  // namespace beatscan::operators
