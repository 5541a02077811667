#include "kernels/runtime/context_stream.h"

#include <cuda_runtime.h>

#include <map>
#include <mutex>
#include <vector>

#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

struct IdleStreams {
  std::mutex mutex;
  std::map<int, std::vector<CUstream_st*>> of_device;
};
IdleStreams& idle_streams() {
  static auto* streams = new IdleStreams;  // never deleted: a context may end after this file's objects
  return *streams;
}

}  // namespace

ContextStream::ContextStream(int device) : device_(device) {
  {
    const std::lock_guard lock(idle_streams().mutex);
    auto& idle = idle_streams().of_device[device];
    if (!idle.empty()) {
      stream_ = idle.back();
      idle.pop_back();
      return;
    }
  }
  BEATSCAN_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

ContextStream::~ContextStream() {
  if (device_ < 0 || cudaStreamSynchronize(stream_) != cudaSuccess) return;
  const std::lock_guard lock(idle_streams().mutex);
  idle_streams().of_device[device_].push_back(stream_);
}

}  // namespace beatscan
