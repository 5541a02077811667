#include "kernels/runtime/context_stream.h"

#include <cuda_runtime.h>

#include "kernels/runtime/error.h"
#include "kernels/runtime/idle.h"

namespace beatscan {
namespace {

IdleOfDevices<CUstream_st*>& idle_streams() {
  static auto* streams = new IdleOfDevices<CUstream_st*>;  // never deleted: a context may end after this file's objects
  return *streams;
}

}  // namespace

ContextStream::ContextStream(int device) : device_(device) {
  if (const auto idle = idle_streams().take(device)) {
    stream_ = *idle;
    return;
  }
  BEATSCAN_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

ContextStream::~ContextStream() {
  if (device_ < 0 || cudaStreamSynchronize(stream_) != cudaSuccess) return;
  idle_streams().keep(device_, stream_);
}

}  // namespace beatscan
