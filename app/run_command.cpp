#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "app/batch.h"
#include "app/cohort_page.h"
#include "app/commands.h"
#include "app/model_file.h"
#include "app/output_folder.h"
#include "app/pool_log_file.h"
#include "app/resume.h"
#include "app/truth.h"
#include "kernels/check.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Before anything is touched, not after hours of training.
void check_targets(const Config& config, const CommonOptions& common, const RunOptions& options) {
  std::error_code unknown;
  for (const auto& folder : folders_for(options))
    if (options.resume && !common.force && fs::exists(folder / "summary.json", unknown))
      check_same_run(folder, config, options.model);
    else
      check_output_folder(folder, common.force);
  check_cohort_files(options.out, options.inputs.size(), common.force || options.resume);
}

void dry_run(const Config& config, const CommonOptions& common, const RunOptions& options) {
  Json plan = {{"config", to_json(config)}, {"recordings", Json::array()}};
  const auto folders = folders_for(options);
  check_targets(config, common, options);
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    const Input input = resolve_input(options.inputs[i], config.ingest);
    const SignalInfo signal = look_at(input, config.ingest);
    const auto users = config.ingest.sample_rate_hz, known = users ? users : signal.sample_rate_hz;
    plan["recordings"].push_back({{"input", options.inputs[i].string()},
                                  {"format", signal.format},
                                  {"bytes", input.bytes},
                                  {"column", signal.name},
                                  {"sample_rate_hz", known ? Json(*known) : Json(nullptr)},
                                  {"out", folders[i].string()}});
  }
  std::printf("%s\n", text_of(plan).c_str());
}

// LibTorch takes 0.12 s to load and CUDA 0.19 s to start. Both begin with a lock on the loader of libraries, which CUDA
// soon gives back and LibTorch does not: they overlap if CUDA has a head start. Nobody waits for the thread: the
// program ends by _exit.
void load_libtorch_meanwhile([[maybe_unused]] DeviceChoice device) {
  std::chrono::milliseconds head_start(0);
#ifdef BEATSCAN_WITH_CUDA
  if (device != DeviceChoice::cpu) head_start = std::chrono::milliseconds(30);
#endif
  std::thread([head_start] {
    std::this_thread::sleep_for(head_start);
    preload_vae();
  }).detach();
}

}  // namespace

int run_command(const CommonOptions& common, const RunOptions& options, Log& log) {
  std::optional<SavedModel> model;
  if (!options.model.empty()) model = read_model(options.model);
  if (model) model->config.pool = {};  // that of the machine it was trained on
  RateGiven rate{.needed = !options.truth.empty()};
  if (model) rate.of_model_hz = std::exchange(model->config.ingest.sample_rate_hz, std::nullopt);
  const Config config = resolve_config(common, model ? model->config : Config{});
  if (config.ingest.sample_rate_hz) rate.source = rate_source(common);
  if (!options.truth.empty() && options.inputs.size() > 1)
    throw Error(Status::usage, "--truth goes with one recording; use `beatscan evaluate` on each folder of a batch");
  // Before anything is touched.
  check_config(config);
  check_rates(options.inputs, config, rate);
  if (model) check_parameters(model->parameters, config, options.model.string());
  if (!options.truth.empty()) read_truth(options.truth);  // what is wrong is better known now than after the training
  if (common.dry_run) {
    dry_run(config, common, options);
    return static_cast<int>(Status::ok);
  }
  check_targets(config, common, options);
  PoolLogFile pool_log(options.pool_log, common.force);
  load_libtorch_meanwhile(config.device);
  try {
    const int status = run_batch(common, options, config, rate, model ? &model->parameters : nullptr, log);
    pool_log.write();
    return status;
  } catch (...) {
    pool_log.write_what_there_is();  // most of all where memory was short
    throw;
  }
}

}  // namespace beatscan
