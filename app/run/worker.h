// app/run/worker.h — takes recordings to their folders of results on the device of a configuration. Where a GPU fails
// and that is allowed, a recording is analysed on the CPU.
#pragma once

#include <optional>

#include "app/report/cohort_page.h"
#include "app/result/output_folder.h"
#include "app/run/device.h"
#include "app/run/lane.h"

namespace beatscan {

class Worker {
 public:
  // Throws ErrorKind::device where the configuration insists on a GPU and there is none.
  Worker(const Config& config, Log& log);
  Worker(Worker&&) = delete;

  // Analyses a recording and puts its result into `folder`. `next`, which is read meanwhile, may be nothing.
  CohortRow run(const Job& job, const Job* next, OutputFolder& folder);

  // Throws where buffers on the device were not given back.
  void check_nothing_held();

 private:
  template <class Context, class Make>
  CohortRow run_on(std::optional<Lane<Context>>& lane, Make&& make, const Job& job, const Job* next,
                   OutputFolder& folder);
  bool gpu_works();

  const Config& config_;
  Log& log_;
  bool on_gpu_;
  DeviceFallback fallback_;
  std::optional<Lane<Cpu>> cpu_;
#ifdef BEATSCAN_WITH_CUDA
  std::optional<Lane<Cuda>> gpu_;
#endif
};

}  // namespace beatscan
