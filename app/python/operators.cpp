// Registers the program's stages as PyTorch operators, which run on the tensors' device: torch.ops.load_library, and
// then torch.ops.beatscan.find_beats(x, 360.0). docs/python.md documents arguments and results.
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "app/output/model_file.h"
#include "app/python/analysis.h"
#include "app/python/call.h"
#include "app/python/columns.h"
#include "app/python/contexts.h"
#include "app/python/embedded_tensors.h"
#include "app/python/keywords.h"
#include "app/python/leads.h"
#include "app/python/tensors.h"
#include "app/python/wave_tensors.h"
#include "kernels/runtime/error.h"
#include "stages/reference/filter.h"

namespace beatscan::operators {
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
