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
#include "app/files/pool_log_file.h"
#include "app/run/run_options.h"
#include "app/text/numbers.h"
#include "kernels/machine/host_threads.h"
#include "kernels/machine/processor_set.h"
#include "kernels/runtime/error.h"
#include "stages/vae/vae.h"

namespace beatscan {
namespace {

// Loads LibTorch, which takes 0.12 s, while CUDA starts, which takes 0.19 s. Both first lock the loader of libraries.
// CUDA soon unlocks it and LibTorch does not, so they overlap if CUDA has a head start. The program does not wait for
// the thread, because it ends by _exit.
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
  } catch (const std::system_error&) {  // no more threads are allowed: LibTorch is loaded when it is needed
  }
}

// Loads LibTorch, and refuses a batch where that cannot be done: each of its recordings would fail.
void check_libtorch() {
  if (const std::string why = load_libtorch(); !why.empty()) throw Error(ErrorKind::internal, why);
}

// Keeps the host's memory of one recording of a batch for the next. Otherwise the C library gives arrays of some
// hundred kilobytes back to the system each time, and a tenth of a recording's time is spent on getting them again.
void keep_freed_memory() {
  constexpr int kLargest = 32 << 20;  // bytes; the C library allows no more
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, 2 * kLargest);
}

// Tells whether the launcher left this process all processors of the host.
bool may_use_all_processors() { return std::ssize(processors_of_process()) == sysconf(_SC_NPROCESSORS_ONLN); }

// Shares the host's GPUs and processors with the other tasks that a launcher started there. Returns the configuration
// with the GPUs of this task; results do not tell of it. Processors are shared by their number where the launcher has
// not bound each task to some of them.
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
    plan.batch ? keep_freed_memory() : use_one_channel();  // before a thread may read the environment
    if (needs_libtorch(plan.config.vae, row_points_of(plan.config)))
      plan.batch ? check_libtorch() : load_libtorch_meanwhile(plan.config.device);
    else
      load_kernels_at_start();  // not with LibTorch, which has far too many kernels of its own
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
