#include "kernels/runtime/managed_pool.h"

#include <cuda_runtime.h>

#include <string>

#include "kernels/runtime/error.h"
#include "kernels/runtime/pool_log.h"

namespace beatscan {
namespace {

std::int64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  std::uint64_t value = 0;
  BEATSCAN_CUDA_CHECK(cudaMemPoolGetAttribute(pool, which, &value));
  return static_cast<std::int64_t>(value);
}

}  // namespace

ManagedPool::ManagedPool(int device, CUstream_st* stream) : device_(device), stream_(stream) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypeManaged;
  properties.location = {.type = cudaMemLocationTypeDevice, .id = device};
  const cudaError_t status = cudaMemPoolCreate(&pool_, &properties);
  if (status != cudaSuccess) {
    cudaGetLastError();  // clears the error
    throw Error(ErrorKind::device, std::string("this driver has no pools of managed memory (") +
                                       cudaGetErrorString(status) + "); use pool.kind=device");
  }
  std::uint64_t keep_all = ~std::uint64_t{0};
  BEATSCAN_CUDA_CHECK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep_all));
}

ManagedPool::~ManagedPool() { cudaMemPoolDestroy(pool_); }

void* ManagedPool::allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error
    return nullptr;
  }
  BEATSCAN_CUDA_CHECK(status);
  ++requests_;
  log_request(PoolRequest::Action::allocate, memory, bytes);
  return memory;
}

void ManagedPool::deallocate(void* memory, std::size_t bytes) {
  log_request(PoolRequest::Action::free, memory, bytes);
  cudaFreeAsync(memory, stream_);
}

void ManagedPool::prefetch(void* memory, std::size_t bytes) {
  BEATSCAN_CUDA_CHECK(
      cudaMemPrefetchAsync(memory, bytes, {.type = cudaMemLocationTypeDevice, .id = device_}, 0, stream_));
}

PoolStatistics ManagedPool::statistics() const {
  return {.current_bytes = attribute(pool_, cudaMemPoolAttrUsedMemCurrent),
          .peak_bytes = attribute(pool_, cudaMemPoolAttrUsedMemHigh),
          .reserved_bytes = attribute(pool_, cudaMemPoolAttrReservedMemHigh),
          .requests = requests_};
}

}  // namespace beatscan
