#include "app/run/run_command.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "app/evaluation/truth.h"
#include "app/files/pool_log_file.h"
#include "app/report/cohort_page.h"
#include "app/result/model_file.h"
#include "app/result/output_folder.h"
#include "app/run/batch.h"
#include "app/run/resume.h"
#include "kernels/runtime/error.h"
#include "stages/input/input.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// All that is read and would be lost with what is replaced: a model or a configuration is written again.
std::vector<fs::path> files_read(const Config& config, const RunOptions& options) {
  std::vector<fs::path> files = options.inputs;
  for (const auto& input : options.inputs)
    if (wfdb_header_of(input))
      for (const auto& part : resolve_input(input, config.ingest).parts) files.push_back(part.path);
  if (!options.truth.empty()) files.push_back(options.truth);
  return files;
}

// Of a file, or of where it will be.
fs::path place_of(const fs::path& path) {
  std::error_code unknown;
  const fs::path place = fs::weakly_canonical(path, unknown);
  return unknown ? path : place;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path inner = place_of(path), outer = place_of(folder);
  return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

// What is read must not be replaced, nor the log lie where results are put.
void check_files(const Config& config, const RunOptions& options) {
  const auto files = files_read(config, options);
  const auto fail = [](const fs::path& path, const char* what) {
    throw Error(ErrorKind::output, path.string() + ": " + what);
  };
  for (const auto& folder : folders_for(options)) {
    for (const auto& file : files)
      if (lies_in(file, folder)) fail(file, "lies in the folder that the results are put in; give another --out");
    if (!options.pool_log.empty() && (lies_in(options.pool_log, folder) || lies_in(folder, options.pool_log)))
      fail(options.pool_log, "is where the results are put; give another --pool-log");
  }
  const auto is_read = [&](const fs::path& log) {
    const auto same = [&](const fs::path& file) { return place_of(file) == place_of(log); };
    return std::ranges::any_of(files, same) || same(options.model);
  };
  if (!options.pool_log.empty() && is_read(options.pool_log))
    fail(options.pool_log, "is read by this run; give another --pool-log");
}

// Before anything is touched, not after hours of training.
void check_targets(const Config& config, const CommonOptions& common, const RunOptions& options) {
  std::error_code unknown;
  for (const auto& folder : folders_for(options))
    if (options.resume && !common.force && fs::exists(folder / "summary.json", unknown))
      check_same_run(folder, config, options.model);
    else
      check_output_folder(folder, common.force);
  check_cohort_files(options.out, options.inputs.size(), common.force || options.resume);
  check_files(config, options);
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

BatchOutcome run_command(const CommonOptions& common, const RunOptions& options, Log& log) {
  std::optional<SavedModel> model;
  if (!options.model.empty()) model = read_model(options.model);
  if (model) model->config.pool = {};  // that of the machine it was trained on
  RateGiven rate{.needed = !options.truth.empty()};
  if (model) rate.of_model_hz = std::exchange(model->config.ingest.sample_rate_hz, std::nullopt);
  const Config config = resolve_config(common, model ? model->config : Config{});
  if (config.ingest.sample_rate_hz) rate.source = rate_source(common);
  if (!options.truth.empty() && options.inputs.size() > 1)
    throw Error(ErrorKind::usage, "--truth goes with one recording; use `beatscan evaluate` on each folder of a batch");
  // Before anything is touched.
  check_config(config);
  check_rates(options.inputs, config, rate);
  if (model) check_parameters(model->parameters, config, options.model.string());
  if (!options.truth.empty()) read_truth(options.truth);  // what is wrong is better known now than after the training
  if (common.dry_run) {
    dry_run(config, common, options);
    return {.recordings = options.inputs.size()};
  }
  check_targets(config, common, options);
  PoolLogFile pool_log(options.pool_log, common.force);
  load_libtorch_meanwhile(config.device);
  try {
    const BatchOutcome outcome = run_batch(common, options, config, rate, model ? &model->parameters : nullptr, log);
    pool_log.write();
    return outcome;
  } catch (...) {
    pool_log.write_what_there_is();  // most of all where memory was short
    throw;
  }
}

}  // namespace beatscan
