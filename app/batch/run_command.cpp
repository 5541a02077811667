#include "app/batch/run_command.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/batch/batch.h"
#include "app/batch/devices.h"
#include "app/batch/plan.h"
#include "app/batch/recording_list.h"
#include "app/common/log.h"
#include "app/common/numbers.h"
#include "app/common/partial_file.h"
#include "app/evaluation/truth.h"
#include "app/pipeline/run_options.h"
#include "kernels/machine/host_threads.h"
#include "kernels/machine/processor_set.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/pool.h"
#include "stages/common/interrupt.h"
#include "stages/io/input.h"
#include "stages/model/vae.h"

namespace beatscan {

namespace {

// Logs the requests from its construction to write(). Does nothing without a path. Columns:
//   time_s
//   action   allocate and free; spill and unspill: to host memory and back; reserve and release: from the driver and
//            back to it
//   bytes, address
class PoolLogFile {
 public:
  // Throws ErrorKind::output if `path` cannot be written.
  PoolLogFile(const std::filesystem::path& path, bool force);
  void write();
  void write_what_there_is() noexcept;  // after an error; an error in writing the log is not reported

 private:
  std::optional<PartialFile> file_;
};

#ifdef BEATSCAN_WITH_CUDA
const char* name_of(PoolRequest::Action action) {
  static constexpr std::array kNames = {"allocate", "free", "spill", "unspill", "reserve", "release"};
  return kNames[static_cast<std::size_t>(action)];
}

std::string line_of(const PoolRequest& request) {
  char line[128];
  std::snprintf(line, sizeof line, "%.6f,%s,%" PRId64 ",0x%" PRIxPTR "\n", request.time_s, name_of(request.action),
                request.bytes, request.address);
  return line;
}
#endif

PoolLogFile::PoolLogFile(const std::filesystem::path& path, bool force) {
  if (path.empty()) return;
  check_writable(path, force);
  file_.emplace(path);
#ifdef BEATSCAN_WITH_CUDA
  start_pool_log();
#endif
}

void PoolLogFile::write() {
  if (!file_) return;
  std::string text = "time_s,action,bytes,address\n";
#ifdef BEATSCAN_WITH_CUDA
  for (const auto& request : take_pool_log()) text += line_of(request);
#endif
  file_->write(text);
  file_->commit();
}

void PoolLogFile::write_what_there_is() noexcept {
  try {
    write();
  } catch (...) {
    // The user sees the preceding error.
  }
}

Json names_of(const std::vector<Lead>& leads) {
  Json names = Json::array();
  for (const auto& lead : leads) names.push_back(lead.name);
  return names;
}

Json planned(const Plan& plan, const RunOptions& options, std::size_t i) {
  const ListedRecording& recording = plan.recordings[i];
  const Config config = config_of(plan, recording);
  const Input input = resolve_input(recording.input, ingest_options(config));
  const SignalInfo signal = look_at(input, ingest_options(config));
  const auto users = config.ingest.sample_rate_hz, known = users ? users : signal.sample_rate_hz;
  Json json = {{"input", recording.input.string()},
               {"format", signal.format},
               {"bytes", input.bytes},
               {"column", signal.name},
               {"leads", names_of(signal.leads)},
               {"sample_rate_hz", known ? Json(*known) : Json(nullptr)},
               {"out", folder_of(plan, options, i).string()}};
  if (!recording.truth.empty()) {
    if (plan.batch) read_truth(recording.truth);
    json["truth"] = recording.truth.string();
  }
  return json;
}

// Checks the targets and every input of this process, and prints the planned work as JSON. In a batch, an input that
// cannot be read has its error in the JSON and as a message, and counts as a failure. The error of a single recording
// is thrown, and so is that of a required GPU that is missing.
BatchOutcome print_plan(const Plan& plan, const CommonOptions& common, const RunOptions& options, const Log& log) {
  check_targets(plan, common, options);
  if (plan.config.device == DeviceChoice::cuda) gpus_to_use(plan.config, {}, log);
  BatchOutcome outcome{.recordings = plan.recordings.size()};
  Json json = {{"config", to_json(plan.config)}, {"recordings", Json::array()}};
  for (std::size_t i = 0; i < plan.recordings.size(); ++i) {
    throw_if_interrupted();
    try {
      json["recordings"].push_back(planned(plan, options, i));
    } catch (const Error& error) {
      if (!plan.batch) throw;
      log.error(error.what());
      json["recordings"].push_back({{"input", plan.recordings[i].input.string()},
                                    {"error", error.what()},
                                    {"out", folder_of(plan, options, i).string()}});
      if (!outcome.first_failure) outcome.first_failure = error.kind();
      ++outcome.failed;
    }
  }
  std::printf("%s\n", text_of(json).c_str());
  return outcome;
}

// Loads LibTorch, which takes 0.12 s, while CUDA starts, which takes 0.19 s. Both first lock the dynamic loader. CUDA
// soon releases it and LibTorch does not, so they overlap only if CUDA starts first. The program ends by _exit and does
// not join the thread.
void load_libtorch_meanwhile([[maybe_unused]] DeviceChoice device) {
  std::chrono::milliseconds head_start(0);
#ifdef BEATSCAN_WITH_CUDA
  if (device != DeviceChoice::cpu) head_start = std::chrono::milliseconds(30);
#endif
  try {
    std::thread([head_start] {
      std::this_thread::sleep_for(head_start);
      load_libtorch();
    }).detach();
  } catch (const std::system_error&) {  // thread limit reached: LibTorch is loaded when it is needed
  }
}

// Loads LibTorch. Refuses a batch if that fails, since each of its recordings would fail.
void check_libtorch() {
  if (const std::string why = load_libtorch(); !why.empty()) throw Error(ErrorKind::internal, why);
}

// Keeps the host memory of one recording for the next. Otherwise the C library returns arrays of some hundred kilobytes
// to the system each time, and allocating them again takes a tenth of a recording's time.
void keep_freed_memory() {
  constexpr int kLargest = 32 << 20;  // bytes; the C library allows no more
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, 2 * kLargest);
}

// Returns whether the launcher left all processors of the host to this process.
bool may_use_all_processors() { return std::ssize(processors_of_process()) == sysconf(_SC_NPROCESSORS_ONLN); }

// Divides the host's GPUs and processors among the tasks that a launcher started there. Returns the configuration with
// the GPUs of this task; results do not record them. Processors are divided by count unless the launcher has bound each
// task to some of them.
Config placed_with_others(const Plan& plan, const CommonOptions& common) {
  Config config = plan.config;
  if (!plan.local) return config;
  const auto visible = visible_gpus();
  if (config.device != DeviceChoice::cpu && config.gpus.empty() && visible)
    config.gpus = gpus_of_task(*plan.local, *visible);
  if (common.threads == 0 && plan.local->size > 1 && may_use_all_processors())
    set_host_threads(std::max(1, process_threads() / plan.local->size));
  return config;
}

void tell_shard(const Plan& plan, const Log& log) {
  const Shard& shard = plan.shard.shard;
  if (!shard.whole())
    log.info("shard " + text_of(shard) + (plan.shard.from.empty() ? "" : " (" + plan.shard.from + ")") + ": " +
             grouped(std::ssize(plan.recordings)) + " of " + grouped(plan.recordings_of_all, "recording"));
}

}  // namespace

BatchOutcome run_command(const CommonOptions& common, const RunOptions& options, Log& log) {
  const Plan plan = plan_of(common, options);
  for (const auto& warning : plan.warnings) log.warning(warning);
  tell_shard(plan, log);
  if (common.dry_run) return print_plan(plan, common, options, log);
  check_targets(plan, common, options);
  if (plan.recordings.empty()) return {};  // there are more shards than recordings
  PoolLogFile pool_log(options.pool_log, common.force);
  const Config placed = placed_with_others(plan, common);
  std::vector<int> gpus_left;
  if (!options.embedded) {
    gpus_left = hide_other_gpus(placed, !plan.batch);
    plan.batch ? keep_freed_memory() : use_one_channel();  // before another thread may read the environment
    if (needs_libtorch(plan.config.vae, row_points_of(plan.config)))
      plan.batch ? check_libtorch() : load_libtorch_meanwhile(plan.config.device);
    else
      load_kernels_at_start();  // not with LibTorch, which has far too many kernels
  }
  try {
    Batch batch(plan, common, options, placed, std::move(gpus_left), log);
    const BatchOutcome outcome = batch.run();
    pool_log.write();
    return outcome;
  } catch (...) {
    pool_log.write_what_there_is();  // it helps most where memory was short
    throw;
  }
}

}  // namespace beatscan
