#include "app/batch/run_command.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/batch/batch.h"
#include "app/batch/dry_run.h"
#include "app/batch/gpus.h"
#include "app/batch/plan.h"
#include "app/common/numbers.h"
#include "app/common/pool_log_file.h"
#include "app/pipeline/run_options.h"
#include "kernels/machine/host_threads.h"
#include "kernels/machine/processor_set.h"
#include "kernels/runtime/error.h"
#include "stages/model/vae.h"

namespace beatscan {
namespace {

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
Config placed_beside_others(const Plan& plan, const CommonOptions& common) {
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
  const Config placed = placed_beside_others(plan, common);
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
