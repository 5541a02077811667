// libbeatscan_vae_cuda.so: LibTorch's CUDA operations, with this program's memory. It alone is linked with
// libtorch_cuda, which takes as long to load as the rest of LibTorch.
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

#include <string>

#include "kernels/runtime/device_memory.h"

namespace {

void* lend(std::size_t bytes, int device, cudaStream_t stream) {
  if (bytes == 0) return nullptr;
  void* memory = beatscan::shared_memory(device)->allocate(bytes, stream);
  TORCH_CHECK_WITH(OutOfMemoryError, memory, "out of device memory: ", bytes, " bytes do not fit on device ", device);
  return memory;
}

void take_back(void* memory, std::size_t bytes, int device, cudaStream_t stream) {
  try {
    if (memory) beatscan::shared_memory(device)->deallocate(memory, bytes, stream);
  } catch (...) {  // CUDA has ended, and the memory with it
  }
}

}  // namespace

// Makes LibTorch take its device memory from shared_memory(). Within Python it keeps its allocator, which is PyTorch's.
extern "C" void beatscan_lend_memory() {
  namespace pluggable = torch::cuda::CUDAPluggableAllocator;
  if (dlopen("libtorch_python.so", RTLD_NOW | RTLD_NOLOAD)) return;
  pluggable::changeCurrentAllocator(pluggable::createCustomAllocator(lend, take_back));
}
