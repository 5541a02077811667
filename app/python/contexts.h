// app/python/contexts.h — chooses where an operator runs: its tensor's device, and there PyTorch's current stream.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#ifdef BEATSCAN_WITH_CUDA
#include <c10/cuda/CUDAGuard.h>
#endif

#include "kernels/runtime/context.h"

namespace beatscan::operators {

#ifdef BEATSCAN_WITH_CUDA
// Lends a context on the current device and stream to one call. Contexts are kept for later calls, because creating the
// cuFFT plans of the published method takes longer than using them.
class BorrowedCuda {
 public:
  BorrowedCuda();
  ~BorrowedCuda();
  BorrowedCuda(BorrowedCuda&&) = delete;
  Cuda& context() { return *context_; }

 private:
  std::unique_ptr<Cuda> context_;
};
#endif

// Calls work(context) with a Cpu or a Cuda, on the device of x.
template <class Work>
auto on_device_of([[maybe_unused]] const at::Tensor& x, Work&& work) {
#ifdef BEATSCAN_WITH_CUDA
  if (x.is_cuda()) {
    const c10::cuda::CUDAGuard device(x.device());
    BorrowedCuda cuda;
    return work(cuda.context());
  }
#endif
  Cpu cpu(at::get_num_threads());
  return work(cpu);
}

}  // namespace beatscan::operators
