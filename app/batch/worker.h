// app/batch/worker.h — analyses recordings into their result folders, one after another, on one device.
#pragma once

#include <memory>
#include <optional>
#include <thread>

#include "app/batch/devices.h"
#include "app/batch/worker_processes.h"
#include "app/common/log.h"
#include "app/report/cohort_row.h"
#include "kernels/runtime/context.h"

namespace beatscan {

class OutputFolder;
struct Config;
struct Job;

// Used by one thread. Its context is created with its first recording and kept for the others.
class Worker {
 public:
  // No gpu: works on the CPU. has_only_one: the run has a single recording. Only then is progress drawn, since several
  // workers cannot share a terminal, and the GPU is released while the result is written; run() is then called once.
  Worker(const Config& config, std::optional<Gpu> gpu, const Log& log, bool has_only_one);
  Worker(Worker&&) = delete;

  // Analyses a recording and writes its result into `folder`. Throws Error and leaves nothing behind, so that another
  // device can retry; ErrorKind::device: the GPU failed.
  CohortRow run(Job& job, OutputFolder& folder);
  // The same on the CPU, whatever the worker's device.
  CohortRow run_on_cpu(Job& job, OutputFolder& folder);

  // Returns whether the process that had the last recording, this one or a worker process, can still use its GPU.
  bool gpu_works();
  // Returns whether worker processes have ended so often in a row that no more recordings should be given to one.
  bool worker_processes_fail() const { return ended_in_a_row_ >= kMostInARow; }
  // Works on the CPU from now on.
  void leave_gpu();

  // Delegates recordings to a worker process on this GPU from now on.
  void use(std::unique_ptr<WorkerProcess> worker_process, const Gpu& gpu);
  bool uses_worker_process() const { return worker_process_ != nullptr; }
  bool worker_process_has_ended() const { return worker_process_ && worker_process_->has_ended(); }
  // The same as run(), in the worker process. Throws as WorkerProcess::analyse does.
  CohortRow run_by_worker_process(const Job& job);
  const std::optional<Gpu>& gpu() const { return gpu_; }

  // Throws if buffers on the device were not released.
  void check_nothing_held();

 private:
  template <class Context>
  CohortRow run_on(Context& context, const Job& job, OutputFolder& folder);
  void give_gpu_back();

  const Config& config_;
  std::optional<Gpu> gpu_;
  bool has_only_one_;
  Log log_;
  std::unique_ptr<WorkerProcess> worker_process_;
  static constexpr int kMostInARow = 4;
  int ended_in_a_row_ = 0;  // worker processes that have ended during a recording
  std::optional<Cpu> cpu_;
#ifdef BEATSCAN_WITH_CUDA
  std::optional<Cuda> cuda_;
  std::jthread closing_;  // destroys cuda_
#endif
};

}  // namespace beatscan
