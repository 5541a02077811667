#include "app/cli/commands.h"

#include <cstdio>

#include "app/evaluation/evaluate.h"
#include "app/files/durable.h"
#include "app/files/partial_file.h"
#include "app/report/report.h"
#include "app/result/outputs.h"
#include "app/run/sample_rate.h"
#include "app/text/build_info.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"
#include "stages/input/input.h"

namespace beatscan {
namespace {

void print(const Json& document) { std::printf("%s\n", text_of(document).c_str()); }

Json described(const DeviceDescription& device, const char* kind) {
  Json json = {{"kind", kind},
               {"name", device.name},
               {"memory_bytes", device.memory_bytes},
               {"multiprocessors", device.multiprocessors}};
  if (!device.compute_capability.empty()) json["compute_capability"] = device.compute_capability;
  if (!device.driver_version.empty()) json["driver"] = device.driver_version;
  return json;
}

// The notices of what the program contains; their texts are in docs/notices.md.
Json notices() {
  return {{"program", "Apache-2.0"},
          {"contains",
           {{"zlib", "Zlib"},
            {"Zstandard", "BSD-3-Clause"},
            {"FLAC", "BSD-3-Clause"},
            {"Ogg", "BSD-3-Clause"},
            {"EDFlib", "BSD-2-Clause"},
            {"OpenSSL", "Apache-2.0"},
            {"CLI11", "BSD-3-Clause"},
            {"JSON for Modern C++", "MIT"},
            {"uPlot", "MIT"}}},
          {"data", "ODC-By-1.0"},
          {"texts", "docs/notices.md; share/doc/beatscan where the program is installed"}};
}

}  // namespace

int bench_command(const CommonOptions& common, const BenchOptions& options, Log& log) {
  const Config config = resolve_config(common);
  check_config(config);
  check_rates({options.input}, config, {});
  Json result;
#ifdef BEATSCAN_WITH_CUDA
  if (use_cuda(config, log)) {
    Cuda cuda(config.cuda_device, config.pool);
    result = bench(cuda, options, config, log);
  }
#else
  use_cuda(config, log);
#endif
  if (result.is_null()) {
    Cpu cpu;
    result = bench(cpu, options, config, log);
  }
  print(result);
  std::fputs(bench_table(result).c_str(), stderr);
  return 0;
}

int evaluate_command(const CommonOptions& common, const EvaluateOptions& options, Log& log) {
  const auto evaluation = evaluate_folder(options.folder, options.truth, options.tolerance_ms, common.sample_rate_hz);
  for (const auto& warning : evaluation.warnings) log.warning(warning);
  print(to_json(evaluation));
  return 0;
}

int report_command(const std::filesystem::path& folder, Log& log) {
  const auto start = std::chrono::steady_clock::now();
  const std::string page = report_page(folder);
  const auto path = folder / "report.html";
  write_durably(path, page);
  log.info(report_line(path, page, start));
  return 0;
}

int generate_command(const CommonOptions& common, GenerateOptions options, const std::filesystem::path& out, Log& log) {
  if (common.sample_rate_hz) options.sample_rate_hz = *common.sample_rate_hz;
  if (common.seed) options.seed = *common.seed;
  const GenerateResult result = generate(Cpu(), options, out, common.force);
  log.info(out.string() + ": " + std::to_string(options.samples) + " samples at " +
           Json(options.sample_rate_hz).dump() + " Hz, " + std::to_string(result.bytes) + " bytes");
  log.info(result.truth_path.string() + ": " + std::to_string(result.beats) + " beats, " +
           std::to_string(result.abnormal_beats) + " abnormal");
  return 0;
}

int inspect_command(const CommonOptions& common, const std::filesystem::path& path, Log& log) {
  const Config config = resolve_config(common);
  Cpu cpu;
  const Input input = resolve_input(path, config.ingest);
  const auto recording = read_recording(cpu, input, config.ingest, [](auto...) { throw_if_interrupted(); });
  const SignalInfo& signal = recording.signal;
  const auto own = signal.sample_rate_hz, users = config.ingest.sample_rate_hz, rate = users ? users : own;
  Json json = {
      {"path", path.string()},
      {"format", signal.format},
      {"bytes", input.bytes},
      {"columns", signal.names},
      {"column", signal.name},
      {"unit", signal.unit.empty() ? Json(nullptr) : Json(signal.unit)},
      {"samples", recording.samples.size()},
      {"missing", {{"samples", recording.missing}, {"gaps", recording.gap_firsts.size()}}},
      {"bad", to_json(recording.bad)},
      {"min", recording.range.min},
      {"max", recording.range.max},
      {"sample_rate_hz", rate ? Json(*rate) : Json(nullptr)},
      {"sample_rate_source", rate ? Json(users ? rate_source(common) : name_of(signal.rate_origin)) : Json(nullptr)},
      {"duration_s", rate ? Json(static_cast<double>(recording.samples.size()) / *rate) : Json(nullptr)}};
  if (signal.csv) {
    json["delimiter"] = std::string(1, signal.csv->delimiter);
    json["has_header"] = signal.csv->has_header;
  }
  for (const auto& warning : signal.warnings) log.warning(path.string() + ": " + warning);
  print(json);
  return 0;
}

int config_command(const CommonOptions& common, const std::string& action, const std::string& file) {
  if (action == "schema") {
    print(config_schema());
    return 0;
  }
  CommonOptions with_file = common;
  if (!file.empty()) with_file.config = file;
  const Config config = resolve_config(with_file);
  if (action == "show") {
    print(to_json(config));
  } else {
    check_config(config);
    std::printf("%s: good\n", with_file.config.empty() ? "built-in configuration" : with_file.config.c_str());
  }
  return 0;
}

int info_command() {
  const CudaAvailability cuda = cuda_availability();
  Json info = {{"version", BEATSCAN_VERSION},
               {"build", {{"type", BEATSCAN_BUILD_TYPE}, {"compiler", BEATSCAN_COMPILER}, {"cuda", cuda.built}}},
               {"libraries", {{"libtorch", libtorch_version()}}},
               {"licences", notices()},
               {"devices", {described(describe(Cpu()), "cpu")}}};
  if (cuda.built) {
    info["build"]["cuda_compiler"] = BEATSCAN_CUDA_COMPILER;
    info["build"]["cuda_architectures"] = BEATSCAN_CUDA_ARCHITECTURES;
    info["licences"]["contains"]["CUB"] = "BSD-3-Clause";
    info["licences"]["contains"]["NVTX"] = "Apache-2.0 WITH LLVM-exception";
  }
  if (!cuda.reason.empty()) info["no_gpu_because"] = cuda.reason;
#ifdef BEATSCAN_WITH_CUDA
  for (int device = 0; device < cuda.devices; ++device)
    info["devices"].push_back(described(describe(Cuda(device)), "cuda"));
#endif
  print(info);
  return 0;
}

}  // namespace beatscan
