#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/boxing/BoxedKernel.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include "app/config/config.h"
#include "app/config/config_fields.h"
#include "app/output/model_file.h"
#include "app/python/analysis.h"
#include "app/python/results.h"
#include "app/python/tensors.h"
#include "kernels/runtime/error.h"
#include "stages/methods/as_published.h"

namespace beatscan::operators {

namespace {

// Returns the argument of a name; None if it was not given, or the operator has none of that name.
using Given = std::function<c10::IValue(const std::string& name)>;

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

Json json_of(const c10::IValue& value) {
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return value.toDouble();
  if (value.isIntList()) return value.toIntVector();
  return value.toStringRef();
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

// Applies the options given as keywords. Throws ErrorKind::usage for an invalid value, with `source` and the option.
void apply_keywords(Config& config, const Given& given, const std::string& source) {
  Config keys;
  Json document = Json::object();
  for (const auto& field : fields_of(keys)) {
    const c10::IValue value = given(keyword_of(field.key));
    if (value.isNone()) continue;
    const auto dot = field.key.find('.');
    Json& section = dot == field.key.npos ? document : document[field.key.substr(0, dot)];
    section[field.key.substr(dot == field.key.npos ? 0 : dot + 1)] = json_of(value);
  }
  apply(config, document, source);
}

class Call {
 public:
  Call(const c10::FunctionSchema& schema, const c10::Stack& stack) : schema_(schema), stack_(stack) {}

  // Returns an argument; None if it was not given, or the operator has none of that name.
  c10::IValue operator[](const std::string& name) const;
  const at::Tensor& tensor(const std::string& name) const;
  std::optional<double> rate_hz() const { return (*this)["rate_hz"].toOptional<double>(); }

  // Overrides `base` by the configuration named in the argument `config`, the keywords and the rate, in this order.
  Config config(const Config& base = {}) const;

 private:
  const c10::FunctionSchema& schema_;
  const c10::Stack& stack_;  // its last values are the arguments
};

c10::IValue Call::operator[](const std::string& name) const {
  const auto index = schema_.argumentIndexWithName(name);
  return index ? torch::jit::peek(stack_, *index, schema_.arguments().size()) : c10::IValue();
}

const at::Tensor& Call::tensor(const std::string& name) const {
  const auto index = schema_.argumentIndexWithName(name);
  BEATSCAN_EXPECTS(index, "no such argument: " + name);
  return torch::jit::peek(stack_, *index, schema_.arguments().size()).toTensor();
}

Config Call::config(const Config& base) const {
  const auto named = (*this)["config"];
  Config config = named.isNone() ? base : load_config(named.toStringRef(), {}, base);
  apply_keywords(
      config, [&](const std::string& name) { return (*this)[name]; }, schema_.name());
  if (rate_hz()) apply(config, {{"ingest", {{"sample_rate_hz", *rate_hz()}}}}, schema_.name());
  return config;
}

}  // namespace

// Registers the program's stages as PyTorch operators, which run on the tensors' device: torch.ops.load_library, and
// then torch.ops.beatscan.find_beats(x, 360.0). docs/python.md documents arguments and results.

namespace {

using Results = std::vector<c10::IValue>;

at::ScalarType response_type(const Config& config) {
  return config.filter.precision == Precision::float64 ? at::kDouble : at::kFloat;
}

Results ricker_response_of(const Call& call) {
  const Config config = call.config();
  const auto rate = config.ingest.sample_rate_hz;
  if (!rate && !config.filter.width.in_samples)
    fail(ErrorKind::usage, "rate_hz", "the sampling rate is needed where filter_width_samples is not given");
  const at::Tensor& x = call.tensor("x");
  if (x.dim() > 1) fail(ErrorKind::usage, "x", "has " + std::to_string(x.dim()) + " dimensions; give one lead, [N]");
  return on_device_of(x, [&](auto& context) -> Results {
    const auto recording = recording_of(context, x, config.ingest.sample_rate_hz);
    const auto signal = recording.leads.front().samples.span();
    if (response_type(config) == at::kDouble)
      return {tensor_of(context, ricker_response<double>(context, signal, config.filter, rate))};
    return {tensor_of(context, ricker_response<float>(context, signal, config.filter, rate))};
  });
}

// Returns a tensor without memory, of the response's shape and type.
Results ricker_response_shape(const Call& call) {
  const at::Tensor& x = call.tensor("x");
  return {at::empty_like(x, x.options().dtype(response_type(call.config())))};
}

Results find_beats_in(const Call& call) {
  const Config config = call.config();
  const at::Tensor& x = call.tensor("x");
  check_analysis(config, x);
  return on_device_of(x, [&](auto& context) -> Results {
    const auto recording = recording_of(context, x, config.ingest.sample_rate_hz);
    auto found = find_r_peaks(context, recording, config);
    return {tensor_of(context, std::move(found.buffers.r_peaks)), tensor_of(context, codes_of(found.list.quality)),
            blocks_of(context, x, recording, found.leads)};
  });
}

// Returns the argument `blocks` on the host; empty if it was not given, which means that all blocks are good.
template <class Context>
std::vector<std::vector<Quality>> given_blocks(Context& context, const Call& call,
                                               const Recording<Context>& recording) {
  const auto given = call["blocks"];
  if (given.isNone() || given.toTensor().numel() == 0) return {};
  return blocks_in(context, call.tensor("x"), given.toTensor(), recording);
}

void expect_device(const at::Tensor& x, const c10::IValue& other, const char* name) {
  if (!other.isNone() && other.toTensor().device() != x.device())
    fail(ErrorKind::usage, name, "is on " + other.toTensor().device().str() + ", and x on " + x.device().str());
}

Results embed_beats_in(const Call& call) {
  const Config config = call.config();
  const at::Tensor& x = call.tensor("x");
  check_analysis(config, x);
  expect_device(x, call["r_peaks"], "r_peaks");
  expect_device(x, call["blocks"], "blocks");
  return on_device_of(x, [&](auto& context) -> Results {
    const auto recording = recording_of(context, x, config.ingest.sample_rate_hz);
    const auto r_peaks = span_of<double>(call.tensor("r_peaks"), "r_peaks");
    const auto found = known_r_peaks(context, recording, r_peaks, given_blocks(context, call, recording), config);
    auto embedded = embed(context, recording, found, config);
    const auto lead_rows = rows_of_leads(recording);
    const at::Tensor rows = take_rows(context, x, lead_rows, embedded);
    return {rows, tensor_of(context, std::move(embedded.rows.kept)), reference_of(context, x, lead_rows, embedded)};
  });
}

Results delineate_in(const Call& call) {
  const Config config = call.config();
  const at::Tensor& x = call.tensor("x");
  check_analysis(config, x);
  check_delineation(config);
  expect_device(x, call["r_peaks"], "r_peaks");
  expect_device(x, call["blocks"], "blocks");
  return on_device_of(x, [&](auto& context) -> Results {
    const auto recording = recording_of(context, x, config.ingest.sample_rate_hz);
    const auto r_peaks = span_of<double>(call.tensor("r_peaks"), "r_peaks");
    if (r_peaks.empty()) fail(ErrorKind::usage, "r_peaks", "is empty; give a sample a beat");
    const auto beats = known_r_peaks(context, recording, r_peaks, given_blocks(context, call, recording), config);
    const auto found = delineated(context, recording, beats, config);
    return {wave_tensors(context, x, beats.list, found, rows_of_leads(recording), config)};
  });
}

Results scored(const at::Tensor& x, const Config& config, const std::vector<NamedArray>& parameters,
               const std::string& source) {
  check_analysis(config, x);
  check_parameters(parameters, config, source);
  return on_device_of(x, [&](auto& context) -> Results {
    const auto recording = recording_of(context, x, config.ingest.sample_rate_hz);
    const auto found = find_r_peaks(context, recording, config);
    const auto embedded = embed(context, recording, found, config);
    return {columns_of(context, found, embedded, score(context, recording, found.list, embedded, parameters, config),
                       rows_of_leads(recording))};
  });
}

Results score_by_file(const Call& call) {
  const std::string path = call["model"].toStringRef();
  const SavedModel model = read_model(path);
  return scored(call.tensor("x"), call.config(model.config), model.parameters, path);
}

std::vector<NamedArray> parameters_in(const Call& call) {
  std::vector<NamedArray> parameters;
  for (const auto& entry : call["parameters"].to<Columns>()) {
    const at::Tensor host = entry.value().detach().to(at::kCPU, at::kFloat).contiguous();
    const float* values = host.const_data_ptr<float>();
    parameters.push_back({entry.key(), host.sizes().vec(), {values, values + host.numel()}});
    if (!std::ranges::all_of(parameters.back().values, [](float value) { return std::isfinite(value); }))
      fail(ErrorKind::input, "parameters", "'" + entry.key() + "' holds a value that is not finite");
  }
  return parameters;
}

Results score_by_parameters(const Call& call) {
  return scored(call.tensor("x"), call.config(), parameters_in(call), "parameters");
}

// Runs an operator as PyTorch calls it: its arguments are the stack's last values, and its results replace them. An
// invalid argument is a ValueError in Python, every other error a RuntimeError.
template <Results (*operation)(const Call&)>
void boxed(const c10::OperatorHandle& handle, c10::Stack* stack) {
  try {
    Results results = operation(Call(handle.schema(), *stack));
    torch::jit::drop(*stack, handle.schema().arguments().size());
    std::ranges::move(results, std::back_inserter(*stack));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage || error.kind() == ErrorKind::input) throw std::invalid_argument(error.what());
    throw;
  }
}

template <Results (*operation)(const Call&)>
torch::CppFunction kernel() {
  return torch::CppFunction::makeFromBoxedFunction<&boxed<operation>>();
}

void implement(torch::Library& library) {
  library.impl("ricker_response", kernel<ricker_response_of>());
  library.impl("find_beats", kernel<find_beats_in>());
  library.impl("embed_beats", kernel<embed_beats_in>());
  library.impl("delineate", kernel<delineate_in>());
  library.impl("score", kernel<score_by_file>());
  library.impl("score.parameters", kernel<score_by_parameters>());
}

}  // namespace

TORCH_LIBRARY(beatscan, library) {
  const std::string configuration = "*, str? config=None";
  // PyTorch allows at most 64 arguments: score takes the options of detection and of the published method only through
  // the configuration.
  const std::string scoring = keywords_of({"quality.", "rows.", "rhythm.", "score."});
  for (const std::string& schema :
       {"ricker_response(Tensor x, float? rate_hz=None, " + configuration + keywords_of({"filter."}) + ") -> Tensor",
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
            ") -> Dict(str, Tensor)"})
    library.def(schema.c_str());
}

TORCH_LIBRARY_IMPL(beatscan, CPU, library) { implement(library); }
TORCH_LIBRARY_IMPL(beatscan, Meta, library) { library.impl("ricker_response", kernel<ricker_response_shape>()); }
#ifdef BEATSCAN_WITH_CUDA
TORCH_LIBRARY_IMPL(beatscan, CUDA, library) { implement(library); }
#endif

}  // namespace beatscan::operators
