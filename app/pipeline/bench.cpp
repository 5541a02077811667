#include "app/pipeline/bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "app/common/build_info.h"
#include "app/common/log.h"
#include "app/config/config.h"
#include "app/pipeline/pipeline.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"
#include "stages/common/interrupt.h"
#include "stages/model/vae.h"

namespace beatscan {
namespace {

struct Spread {
  double median, min, max;
};

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back()};
}

template <class Work>
double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Returns the bytes a second of the fastest of a few copies, an upper limit for every stage. Reads and writes within
// the context's memory both count.
template <class Context>
Json copy_bandwidth(Context& context) {
  constexpr std::int64_t kBytes = 256 << 20, kStaged = 32 << 20;
  const Buffer<char, Context> source(context, kBytes);
  Buffer<char, Context> target(context, kBytes);
  const auto staging = context.staging(kStaged);
  double inside = 1e9, upload = 1e9;
  for (int i = 0; i < 10; ++i) {
    inside = std::min(inside, seconds_of([&] {
                        for (int j = 0; j < 8; ++j) copy<char>(context, source, target);
                        context.synchronize();
                      }));
    upload = std::min(upload, seconds_of([&] {
                        copy<char>(context, staging, target.span().first(kStaged));
                        context.synchronize();
                      }));
  }
  return {{"copy_bytes_per_s", 8 * 2.0 * kBytes / inside}, {"upload_bytes_per_s", kStaged / upload}};
}

Json stage_json(const std::string& name, const std::vector<double>& seconds, std::int64_t bytes,
                double copy_bytes_per_s) {
  const Spread s = spread_of(seconds);
  return {{"name", name},   {"median_s", s.median},
          {"min_s", s.min}, {"max_s", s.max},
          {"bytes", bytes}, {"share_of_copy", static_cast<double>(bytes) / s.median / copy_bytes_per_s}};
}

// Describes what was timed, and on which machine. The counts and the loss prove that the work was done.
Json described_bench(const BenchOptions& options, const Config& config, const RunResult& result) {
  const auto& loss = result.model.training.loss_per_epoch;
  Json json = {{"input",
                {{"path", options.input.string()},
                 {"bytes", result.input.bytes},
                 {"sha256", result.input.sha256},
                 {"samples", result.input.samples}}},
               {"repetitions", options.repetitions},
               {"warm_up", options.warm_up},
               {"check",
                {{"beats", result.beats.found.r_peaks.size()},
                 {"kept", result.beats.kept.size()},
                 {"final_loss", loss.empty() ? Json(nullptr) : Json(loss.back())}}},
               {"seed", config.seed},
               {"config", to_json(config)},
               {"environment",
                {{"device", result.run.device.name},
                 {"driver", result.run.device.driver_version},
                 {"beatscan", BEATSCAN_VERSION},
                 {"libtorch", libtorch_version()},
                 {"compiler", BEATSCAN_COMPILER},
                 {"cuda", BEATSCAN_CUDA_COMPILER},
                 {"cpu", describe(Cpu()).name},
                 {"cpu_threads", Cpu().threads()}}}};
  if (result.run.pool)
    json["pool"] = {{"peak_bytes", result.run.pool->peak_bytes}, {"reserved_bytes", result.run.pool->reserved_bytes}};
  return json;
}

}  // namespace

template <class Context>
Json bench(Context& context, const BenchOptions& options, const Config& config, Log& log) {
  const Json bandwidth = copy_bandwidth(context);
  RunRequest request;
  request.input = options.input;
  request.config = config;
  std::vector<StageTime> order;
  std::map<std::string, std::vector<double>> seconds;
  RunResult result;
  for (int run = 0; run < options.warm_up + options.repetitions; ++run) {
    throw_if_interrupted();
    const double whole = seconds_of([&] {
      auto opened = open_recording(context, request, open_input(request), [](auto...) { throw_if_interrupted(); });
      result = analyse(context, std::move(opened), request, log);
    });
    log.detail("run " + std::to_string(run + 1) + ": " + std::to_string(whole) + " s");
    if (run < options.warm_up) continue;
    order = result.run.stages;
    for (const auto& stage : result.run.stages) seconds[stage.name].push_back(stage.seconds);
    seconds["whole"].push_back(whole);
  }
  order.push_back({"whole", 0, 0, result.input.bytes});
  Json stages = Json::array();
  for (const auto& stage : order)
    stages.push_back(stage_json(stage.name, seconds[stage.name], stage.bytes, bandwidth["copy_bytes_per_s"]));
  Json json = described_bench(options, config, result);
  json["stages"] = stages;
  json["bandwidth"] = bandwidth;
  return json;
}

std::string bench_table(const Json& result) {
  std::string text = "stage        median ms       min       max    GB/s  of a copy\n";
  for (const auto& stage : result["stages"]) {
    char line[160];
    const double median = stage["median_s"];
    std::snprintf(line, sizeof line, "%-10s %11.3f %9.3f %9.3f %7.1f %9.1f %%\n",
                  stage["name"].get<std::string>().c_str(), median * 1e3, stage["min_s"].get<double>() * 1e3,
                  stage["max_s"].get<double>() * 1e3, stage["bytes"].get<double>() / median * 1e-9,
                  stage["share_of_copy"].get<double>() * 100);
    text += line;
  }
  return text;
}

#define BEATSCAN_BENCH(Context) template Json bench(Context&, const BenchOptions&, const Config&, Log&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BENCH)

}  // namespace beatscan
