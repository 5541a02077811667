// app/batch/worker.h — takes recordings to their folders of results, one after the other, on one device.
#pragma once

#include <optional>
#include <thread>

#include "app/batch/gpus.h"
#include "app/batch/job.h"
#include "app/report/cohort_page.h"
#include "app/result/output_folder.h"

namespace beatscan {

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

  // Tells whether the GPU still does what it is asked to.
  bool gpu_works();
  // Works on the CPU from now on.
  void leave_gpu() { gpu_.reset(); }

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
  std::optional<Cpu> cpu_;
#ifdef BEATSCAN_WITH_CUDA
  std::optional<Cuda> cuda_;
  std::jthread closing_;  // destroys cuda_
#endif
};

}  // namespace beatscan
