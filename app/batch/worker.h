// app/batch/worker.h — takes recordings to their folders of results, one after the other, on one device.
#pragma once

#include <memory>
#include <optional>
#include <thread>

#include "app/batch/gpus.h"
#include "app/batch/stand_ins.h"
#include "app/report/cohort_row.h"
#include "app/text/log.h"
#include "kernels/runtime/context.h"

namespace beatscan {

class OutputFolder;
struct Config;
struct Job;

// Works for one thread. Its context is made with its first recording and kept for the others.
class Worker {
 public:
  // No gpu: works on the CPU. has_only_one: the run has one recording. Its progress is drawn, which several workers
  // cannot do on one terminal, and the GPU is given back while its result is written: then run() is called once.
  Worker(const Config& config, std::optional<Gpu> gpu, const Log& log, bool has_only_one);
  Worker(Worker&&) = delete;

  // Analyses a recording and puts its result into `folder`. Throws Error and leaves nothing behind, so that what fails
  // on one device can be done again on another; ErrorKind::device: the GPU failed.
  CohortRow run(Job& job, OutputFolder& folder);
  // Does the same on the CPU, whatever device the worker has.
  CohortRow run_on_cpu(Job& job, OutputFolder& folder);

  // Tells whether the process that had the last recording, this one or a stand-in, can still use its GPU.
  bool gpu_works();
  // Tells whether stand-ins have ended so often in a row that no other recording should be given to one.
  bool stand_ins_fail() const { return ended_in_a_row_ >= kMostInARow; }
  // Works on the CPU from now on.
  void leave_gpu();

  // Has another process analyse recordings from now on, on this GPU.
  void use(std::unique_ptr<StandIn> stand_in, const Gpu& gpu);
  bool uses_stand_in() const { return stand_in_ != nullptr; }
  bool stand_in_has_ended() const { return stand_in_ && stand_in_->has_ended(); }
  // Does the same as run() by the other process. Throws as StandIn::analyse does.
  CohortRow run_by_stand_in(const Job& job);
  const std::optional<Gpu>& gpu() const { return gpu_; }

  // Throws where buffers on the device were not given back.
  void check_nothing_held();

 private:
  template <class Context>
  CohortRow run_on(Context& context, const Job& job, OutputFolder& folder);
  void give_gpu_back();

  const Config& config_;
  std::optional<Gpu> gpu_;
  bool has_only_one_;
  Log log_;
  std::unique_ptr<StandIn> stand_in_;
  static constexpr int kMostInARow = 4;
  int ended_in_a_row_ = 0;  // stand-ins that have ended at a recording
  std::optional<Cpu> cpu_;
#ifdef BEATSCAN_WITH_CUDA
  std::optional<Cuda> cuda_;
  std::jthread closing_;  // destroys cuda_
#endif
};

}  // namespace beatscan
