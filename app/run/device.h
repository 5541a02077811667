// app/run/device.h — the CPU stands in for a GPU that fails.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "app/text/log.h"
#include "kernels/runtime/error.h"

namespace beatscan {

// Does work again on the CPU, from its beginning, where a GPU fails at it (ErrorKind::device) and that is allowed
// (`--device auto`). A GPU that does not work any more afterwards is not asked again: an error of CUDA stays with the
// process.
class DeviceFallback {
 public:
  // still_works is asked after a failure of the GPU.
  DeviceFallback(bool allowed, std::function<bool()> still_works, const Log& log)
      : allowed_(allowed), still_works_(std::move(still_works)), log_(log) {}

  // Returns what on_gpu() or on_cpu() returns. Work that fails must leave nothing behind.
  template <class OnGpu, class OnCpu>
  auto run(const std::string& what, OnGpu&& on_gpu, OnCpu&& on_cpu) {
    if (gpu_works_) {
      try {
        return on_gpu();
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::device || !allowed_) throw;
        give_up(what, error.what());
      }
    }
    return on_cpu();
  }

  bool gpu_works() const { return gpu_works_; }

 private:
  void give_up(const std::string& what, const std::string& why) {
    gpu_works_ = still_works_();
    log_.warning(what + ": on the CPU, because the GPU failed (" + why + ")" +
                 (gpu_works_ ? "" : "; so is everything after it"));
  }

  bool allowed_, gpu_works_ = true;
  std::function<bool()> still_works_;
  const Log& log_;
};

}  // namespace beatscan
