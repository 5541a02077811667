#include "app/python/contexts.h"

#ifdef BEATSCAN_WITH_CUDA
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "app/python/torch_memory.h"
#include "kernels/runtime/current_device.h"

namespace beatscan::operators {
namespace {

// The contexts that no call is using, by device and stream: at most as many as there were concurrent calls.
struct IdleContexts {
  std::mutex mutex;
  std::map<std::pair<int, CUstream_st*>, std::vector<std::unique_ptr<Cuda>>> idle;
};

IdleContexts& idle_contexts() {
  static IdleContexts& contexts = *new IdleContexts;  // never destroyed: CUDA may have shut down by then
  return contexts;
}

}  // namespace

BorrowedCuda::BorrowedCuda() {
  const auto stream = c10::cuda::getCurrentCUDAStream();
  auto& contexts = idle_contexts();
  {
    const std::lock_guard lock(contexts.mutex);
    auto& idle = contexts.idle[{stream.device_index(), stream.stream()}];
    if (!idle.empty()) {
      context_ = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!context_)
    context_ = std::make_unique<Cuda>(stream.device_index(), stream.stream(), torch_memory(stream.device_index()));
  make_current(*context_);  // the guard of a new thread does not, if the device is the first
}

BorrowedCuda::~BorrowedCuda() {
  auto& contexts = idle_contexts();
  const std::lock_guard lock(contexts.mutex);
  contexts.idle[{context_->device(), context_->stream()}].push_back(std::move(context_));
}

}  // namespace beatscan::operators
#endif
