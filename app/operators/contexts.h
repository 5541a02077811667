// app/operators/contexts.h — where an operator works: on its tensor's device, and there on PyTorch's current stream.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#ifdef BEATSCAN_WITH_CUDA
#include <c10/cuda/CUDAGuard.h>
#endif

#include "kernels/runtime/context.h"

namespace beatscan::operators {

#ifdef BEATSCAN_WITH_CUDA
// A context on the current device and stream, for one call at a time. Contexts are kept for later calls: what they have
// planned (cuFFT) takes longer to make than to use.
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

// work(context) on the device of x, a Cpu or a Cuda.
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
