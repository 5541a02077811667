// Decides where recordings go at which a GPU has failed.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>

#include "app/batch/batch.h"
#include "app/result/output_folder.h"

namespace beatscan {
namespace {

// The most stand-ins of a GPU. Of an early version four processes for each of four GPUs did 54.6 recordings a second
// together, and eight for each did 26.3.
constexpr int kMostOfAGpu = 4;

// Tells whether an input can be read only once, such as a pipe. This process has what it has read of it; another has
// not.
bool is_read_once(const Job& job) {
  std::error_code unknown;
  return std::filesystem::is_other(job.request.input, unknown);
}

}  // namespace

// Copies this process before CUDA is started, for the case that a GPU fails.
void Batch::keep_stand_ins() {
#ifdef BEATSCAN_WITH_CUDA
  if (config_.device == DeviceChoice::cpu || options_.embedded) return;
  config_of_stand_ins_ = config_;
  config_of_stand_ins_.pool.limit_bytes /= kMostOfAGpu;  // each process has a pool of its own
  stand_ins_.emplace([this](const Gpu& gpu) -> StandIns::Work {
    const auto worker = std::make_shared<Worker>(config_of_stand_ins_, gpu, log_, false);
    return [this, worker](std::size_t recording, bool resume) {
      Job job = job_for(common_, options_, plan_, recording);
      job.request.resume = resume;
      OutputFolder output(job.folder, common_.force, Leftovers::are_cleaned_up);
      worker->run(job, output);
    };
  });
#endif
}

bool Batch::after_gpu_failure(Worker& worker, std::size_t device, JobQueue::Taken taken, const Error& error) {
  constexpr int kMostStandIns = 2;  // for one recording: when it has failed in both, it is the recording's fault
  Job& job = job_of(taken.job);
  const bool had_stand_in = worker.uses_stand_in(), works = worker.gpu_works();
  const bool stand_in =
      stand_ins_ && (had_stand_in || !works) && job.stand_ins_tried < kMostStandIns && !is_read_once(job);
  const auto next = after({.gpu_works = works,
                           .was_alone = taken.alone || devices_[device].recordings == 1 || had_stand_in,
                           .stand_in = stand_in,
                           .others_left = !works && !stand_ins_ && lose(device),
                           .may_use_cpu = config_.device == DeviceChoice::automatic});
  const auto say = [&](const char* where, const char* more = "") {
    log_.warning(job.request.input.string() + ": " + where + ", because the GPU failed (" + error.what() + ")" + more);
  };
  if (next == AfterGpuFailure::again_alone) {
    say("is analysed again, alone on its GPU");
    queue_->give_back_for_a_device_alone(device, taken);
    return true;
  }
  if (next == AfterGpuFailure::fails) {
    if (!plan_.batch) throw error;
    fail_one(job, error.kind(), error.what());
    finish(device, taken);
    return true;
  }
  job.request.resume = false;  // a checkpoint of this GPU is of no use to another device
  if (next == AfterGpuFailure::by_a_stand_in) {
    say("is analysed by another process");
    if (use_stand_in(worker, device)) {
      ++job.stand_ins_tried;
      return try_one(worker, device, taken, false);
    }
    queue_->give_back(device, taken);
    return false;
  }
  if (next == AfterGpuFailure::on_another_device) {
    say("is analysed on another GPU");
    queue_->give_back(device, taken);
    return false;
  }
  const bool for_good = next == AfterGpuFailure::all_on_cpu;
  say("is analysed on the CPU", for_good ? "; so is everything after it" : "");
  if (for_good) worker.leave_gpu();
  return try_one(worker, device, taken, true);
}

CohortRow Batch::row_by_stand_in(Worker& worker, const Job& job) {
  if (is_read_once(job))
    throw Error(ErrorKind::device, job.request.input.string() + ": another process cannot read it, as it is no file");
  if (worker.stand_in_has_ended()) worker.use(stand_ins_->start(*worker.gpu()), *worker.gpu());
  return worker.run_by_stand_in(job);
}

// Has another process work for this thread: on its GPU, or where one has failed, on the next GPU. Returns false where
// the GPU has enough of them: then this thread ends.
bool Batch::use_stand_in(Worker& worker, std::size_t device) {
  if (worker.uses_stand_in()) {
    const Gpu& next = gpu_after(*worker.gpu());
    worker.use(stand_ins_->start(next), next);
    return true;
  }
  {
    const std::lock_guard lock(mutex_);
    if (stood_in_for_[device] == kMostOfAGpu) return false;
    const bool is_first = std::ranges::max(stood_in_for_) == 0;
    ++stood_in_for_[device];
    if (is_first && !options_.pool_log.empty()) log_.warning("--pool-log leaves out what other processes ask for");
  }
  worker.use(stand_ins_->start(*devices_[device].gpu), *devices_[device].gpu);
  return true;
}

const Gpu& Batch::gpu_after(const Gpu& gpu) const {
  const auto here =
      std::ranges::find_if(devices_, [&](const BatchDevice& device) { return device.gpu->device == gpu.device; });
  const std::size_t next = here - devices_.begin() + 1;
  return *devices_[next % devices_.size()].gpu;
}

// Notes that a device works no more; returns whether another does.
bool Batch::lose(std::size_t device) {
  const std::lock_guard lock(mutex_);
  lost_[device] = true;
  return std::ranges::count(lost_, false) > 0;
}

}  // namespace beatscan
