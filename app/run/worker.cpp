#include "app/run/worker.h"

#include <utility>

#include "app/run/run_recording.h"

namespace beatscan {

Worker::Worker(const Config& config, Log& log)
    : config_(config),
      log_(log),
      on_gpu_(use_cuda(config, log)),
      fallback_(
          config.device == DeviceChoice::automatic, [this] { return gpu_works(); }, log) {}

CohortRow Worker::run(const Job& job, const Job* next, OutputFolder& folder) {
  const auto on_cpu = [&](const Job& mine) {
    return run_on(
        cpu_, [] { return Cpu(); }, mine, next, folder);
  };
#ifdef BEATSCAN_WITH_CUDA
  if (on_gpu_)
    return fallback_.run(
        job.request.input.string(),
        [&] {
          return run_on(
              gpu_, [this] { return Cuda(config_.cuda_device, config_.pool); }, job, next, folder);
        },
        [&] {
          Job again = job;
          again.request.resume = false;  // a checkpoint of the GPU is of no use to the CPU
          return on_cpu(again);
        });
#endif
  return on_cpu(job);
}

template <class Context, class Make>
CohortRow Worker::run_on(std::optional<Lane<Context>>& lane, Make&& make, const Job& job, const Job* next,
                         OutputFolder& folder) {
  if (!lane) lane.emplace(make);
  auto opened = lane->take(job, log_);
  if (next) lane->read_ahead(*next);
  return run_recording(lane->context(job), std::move(opened), job, folder, log_);
}

bool Worker::gpu_works() {
#ifdef BEATSCAN_WITH_CUDA
  return gpu_ && gpu_->works();
#else
  return false;
#endif
}

void Worker::check_nothing_held() {
#ifdef BEATSCAN_WITH_CUDA
  // After an error of CUDA nothing can be given back.
  if (gpu_ && fallback_.gpu_works()) gpu_->check_nothing_held();
#endif
}

}  // namespace beatscan
