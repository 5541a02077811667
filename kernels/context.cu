#include <cuda_runtime.h>

#include <string>

#include "kernels/buffer.h"
#include "kernels/check.h"
#include "kernels/context.h"
#include "kernels/pool.h"

namespace beatscan {
namespace {

std::string version_string(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

CudaAvailability cuda_availability() {
  CudaAvailability availability{true, 0, {}};
  const cudaError_t error = cudaGetDeviceCount(&availability.devices);
  if (error != cudaSuccess) {
    cudaGetLastError();  // clears it, so that it is not taken for a later call's
    availability.devices = 0;
    availability.reason = cudaGetErrorString(error);
  } else if (availability.devices == 0) {
    availability.reason = "no CUDA device";
  }
  return availability;
}

Cuda::Cuda(int device) : device_(device) {
  BEATSCAN_CUDA_CHECK(cudaSetDevice(device));
  BEATSCAN_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  pool_ = std::make_unique<DevicePool>(device, stream_);
}

Cuda::~Cuda() {
  cudaStreamSynchronize(stream_);
  fft_plans_.reset();
  cudaFreeHost(staging_.data());
  pool_.reset();
  // The stream is left to the process: LibTorch's allocator may still remember blocks that were used on it.
}

void Cuda::synchronize() { BEATSCAN_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

std::span<char> Cuda::staging(std::size_t bytes) {
  if (staging_.size() < bytes) {
    BEATSCAN_CUDA_CHECK(cudaFreeHost(staging_.data()));
    staging_ = {};
    char* memory = nullptr;
    BEATSCAN_CUDA_CHECK(cudaMallocHost(reinterpret_cast<void**>(&memory), bytes));
    staging_ = {memory, bytes};
  }
  return staging_.first(bytes);
}

void* Cuda::allocate(std::size_t bytes) {
  void* memory = pool_->allocate(bytes);
  pool_->count_held(static_cast<std::int64_t>(bytes));
  return memory;
}

void Cuda::deallocate(void* memory, std::size_t bytes) noexcept {
  pool_->deallocate(memory);
  pool_->count_held(-static_cast<std::int64_t>(bytes));
}

void copy_bytes(Cuda& cuda, const void* source, void* target, std::size_t bytes) {
  if (bytes > 0) BEATSCAN_CUDA_CHECK(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, cuda.stream()));
}

DeviceDescription describe(const Cuda& cuda) {
  cudaDeviceProp properties{};
  BEATSCAN_CUDA_CHECK(cudaGetDeviceProperties(&properties, cuda.device()));
  int driver = 0, runtime = 0;
  BEATSCAN_CUDA_CHECK(cudaDriverGetVersion(&driver));
  BEATSCAN_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  return {.name = properties.name,
          .compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor),
          .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem),
          .multiprocessors = properties.multiProcessorCount,
          .driver_version = version_string(driver),
          .runtime_version = version_string(runtime)};
}

}  // namespace beatscan
