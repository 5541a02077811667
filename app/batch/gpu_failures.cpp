// Decides where a recording is analysed after a GPU failure.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>

#include "app/batch/batch.h"
#include "app/batch/devices.h"
#include "app/batch/plan.h"
#include "app/batch/worker.h"
#include "app/output/output_folder.h"

namespace beatscan {
namespace {

// Maximum number of worker processes on a GPU. More processes slow each other down: before batching was introduced, on
// four H100, three or four processes on each analysed 54.6 recordings of 30 minutes a second in total, and eight on
// each 26.3 (issue 19).
constexpr int kMostOnAGpu = 4;
// Maximum number of worker processes that try a recording. If the GPU fails in two of them (on two GPUs if there are
// several), the recording is the cause.
constexpr int kMostTries = 2;

// Returns whether an input can be read only once, such as a pipe. Only this process has the bytes read from it.
bool is_read_once(const Job& job) {
  std::error_code unknown;
  return job.request.input == "-" || std::filesystem::is_other(job.request.input, unknown);
}

}  // namespace

// Forks this process before CUDA starts, as a fallback for a GPU failure.
void Batch::keep_worker_processes() {
#ifdef BEATSCAN_WITH_CUDA
  if (config_.device == DeviceChoice::cpu || options_.embedded) return;
  config_of_worker_processes_ = config_;
  config_of_worker_processes_.pool.limit_bytes /= kMostOnAGpu;  // each process has a pool of its own
  worker_processes_.emplace([this](const Gpu& gpu) -> WorkerProcesses::Work {
    const auto worker = std::make_shared<Worker>(config_of_worker_processes_, gpu, log_, false);
    const auto analyse = [this, worker](std::size_t recording, bool resume) {
      Job job = job_for(common_, options_, plan_, recording);
      job.request.resume = resume;
      OutputFolder output(job.folder, common_.force);
      worker->run(job, output);
    };
    return {analyse, [worker] { return worker->gpu_works(); }};
  });
#endif
}

// Returns whether this thread continues; `device` may be another one then.
bool Batch::after_gpu_failure(Worker& worker, std::size_t& device, JobQueue::Taken taken, const Error& error) {
  Job& job = job_of(taken.job);
  const bool had_worker_process = worker.uses_worker_process(), for_this_process = is_read_once(job);
  const bool works = worker.gpu_works() && !(had_worker_process && for_this_process);
  if (had_worker_process && !works) {
    // One GPU of several may be defective, which is not the recording's fault.
    job.worker_processes_tried += devices_.size() == 1 || job.failed_on != device;
    job.failed_on = device;
  }
  const bool worker_process =
      !works && worker_processes_ && job.worker_processes_tried < kMostTries && !for_this_process;
  const auto next = after({.gpu_works = works,
                           .was_alone = taken.alone || devices_[device].recordings == 1,
                           .worker_process = worker_process,
                           .others_left = !works && !worker_processes_ && lose(device),
                           .may_use_cpu = config_.device == DeviceChoice::automatic,
                           .only_this = worker_processes_ && !worker.worker_processes_fail()});
  const auto say = [&](const char* where, const char* more = "") {
    log_.warning(job.request.input.string() + ": " + where + ", because the GPU failed (" + error.what() + ")" + more);
  };
  switch (next) {
    case AfterGpuFailure::again_alone:
      say("is analysed again, alone on its GPU");
      queue_->give_back_for_a_device_alone(device, taken);
      return true;
    case AfterGpuFailure::fails:
      if (!plan_.batch) throw error;
      fail_one(job, error.kind(), error.what());
      finish(device, taken);
      return true;
    case AfterGpuFailure::by_a_worker_process:
      say("is analysed by another process");
      if (!had_worker_process && use_worker_process(worker, device)) return try_one(worker, device, taken, false);
      job.request.resume = false;  // another GPU may be of another model, which gives other bytes
      queue_->give_back(device, taken);
      return had_worker_process && use_worker_process(worker, device);
    case AfterGpuFailure::on_another_device:
      say("is analysed on another GPU");
      job.request.resume = false;
      queue_->give_back(device, taken);
      return false;
    case AfterGpuFailure::on_cpu:
      say("is analysed on the CPU");
      break;
    case AfterGpuFailure::all_on_cpu:
      say("is analysed on the CPU", "; so is everything after it");
      leave_gpu(worker, device);
      break;
  }
  job.request.resume = false;
  return try_one(worker, device, taken, true);
}

CohortRow Batch::row_by_worker_process(Worker& worker, const Job& job) {
  if (is_read_once(job))
    throw Error(ErrorKind::device,
                job.request.input.string() + ": another process cannot read it, because it is not a file");
  if (worker.worker_process_has_ended()) worker.use(worker_processes_->start(*worker.gpu()), *worker.gpu());
  return worker.run_by_worker_process(job);
}

// Moves this thread's work to a worker process: on the same GPU, or after a failure there, on the next GPU, which
// becomes `device`. Returns false if that GPU already has the maximum number of worker processes; this thread then
// ends.
bool Batch::use_worker_process(Worker& worker, std::size_t& device) {
  const bool had_one = worker.uses_worker_process();
  const std::size_t next = had_one ? (device + 1) % devices_.size() : device;
  {
    const std::lock_guard lock(mutex_);
    if (had_one) --worker_processes_on_[device];
    if (worker_processes_on_[next] == kMostOnAGpu) return false;
    ++worker_processes_on_[next];
    if (!had_one && !options_.pool_log.empty())
      std::call_once(log_lacks_some_, [&] { log_.warning("--pool-log leaves out what other processes ask for"); });
  }
  device = next;
  worker.use(worker_processes_->start(*devices_[device].gpu), *devices_[device].gpu);
  return true;
}

void Batch::leave_gpu(Worker& worker, std::size_t device) {
  if (worker.uses_worker_process()) {
    const std::lock_guard lock(mutex_);
    --worker_processes_on_[device];
  }
  worker.leave_gpu();
}

// Marks a device as lost. Returns whether another one still works.
bool Batch::lose(std::size_t device) {
  const std::lock_guard lock(mutex_);
  lost_[device] = true;
  return std::ranges::count(lost_, false) > 0;
}

}  // namespace beatscan
