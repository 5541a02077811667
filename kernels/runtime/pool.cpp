#include "kernels/runtime/pool.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "kernels/runtime/error.h"
#include "kernels/runtime/page_locked.h"
#include "kernels/runtime/pool_log.h"

namespace beatscan {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

constexpr std::size_t kLarge = 32 << 20;   // an array this large leaves room for those that are smaller:
constexpr std::int64_t kReserveShare = 8;  // an eighth of the pool
constexpr std::size_t kPrefetched = std::size_t{1} << 20;  // smaller ones come with the first access

std::atomic<int> limited_pools = 0;  // the limit is the process's: it goes with the last of them

std::int64_t device_memory_bytes(int device) {
  cudaDeviceProp properties{};
  BEATSCAN_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  return static_cast<std::int64_t>(properties.totalGlobalMem);
}

cudaMemPool_t managed_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypeManaged;
  properties.location = {.type = cudaMemLocationTypeDevice, .id = device};
  cudaMemPool_t pool = nullptr;
  const cudaError_t status = cudaMemPoolCreate(&pool, &properties);
  if (status != cudaSuccess) {
    cudaGetLastError();  // clears it
    throw Error(ErrorKind::device, std::string("this driver has no pools of managed memory (") +
                                       cudaGetErrorString(status) + "); use pool.kind=device");
  }
  std::uint64_t keep_all = ~std::uint64_t{0};
  BEATSCAN_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
  return pool;
}

std::int64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  std::uint64_t value = 0;
  BEATSCAN_CUDA_CHECK(cudaMemPoolGetAttribute(pool, which, &value));
  return static_cast<std::int64_t>(value);
}

}  // namespace

DevicePool::DevicePool(int device, CUstream_st* stream, const PoolOptions& options)
    : device_(device), stream_(stream), options_(options) {
  allocator::init(c10::cuda::device_count());
  attach_pool_log();
  const std::int64_t total = device_memory_bytes(device);
  capacity_bytes_ = options.limit_bytes > 0 ? std::min(options.limit_bytes, total) : total;
  if (options.kind == PoolKind::managed)
    managed_ = managed_pool(device);
  else if (options.limit_bytes > 0) {
    ++limited_pools;
    allocator::setMemoryFraction(static_cast<double>(capacity_bytes_) / static_cast<double>(total),
                                 static_cast<c10::DeviceIndex>(device));
  }
}

DevicePool::~DevicePool() {
  if (managed_)
    cudaMemPoolDestroy(managed_);
  else if (options_.limit_bytes > 0 && --limited_pools == 0)
    allocator::setMemoryFraction(1, static_cast<c10::DeviceIndex>(device_));
}

void* DevicePool::from_device(std::size_t bytes) {
  if (options_.may_spill && bytes >= kLarge && static_cast<std::int64_t>(bytes) > room_bytes()) return nullptr;
  try {
    return allocator::raw_alloc_with_stream(bytes, stream_);
  } catch (const c10::OutOfMemoryError&) {
    cudaGetLastError();  // clears it
    return nullptr;
  } catch (const c10::Error& error) {
    throw Error(ErrorKind::device, std::string("CUDA: ") + error.what_without_backtrace());
  }
}

void* DevicePool::from_managed(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMallocFromPoolAsync(&memory, bytes, managed_, stream_);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears it
    return nullptr;
  }
  BEATSCAN_CUDA_CHECK(status);
  ++managed_requests_;
  log_request(PoolRequest::Action::allocate, memory, bytes);
  // Pages that the device writes first would each come by a fault of their own.
  if (bytes >= kPrefetched && static_cast<std::int64_t>(bytes) <= room_bytes())
    BEATSCAN_CUDA_CHECK(
        cudaMemPrefetchAsync(memory, bytes, {.type = cudaMemLocationTypeDevice, .id = device_}, 0, stream_));
  return memory;
}

void* DevicePool::spill(std::size_t bytes) {
  char* memory = options_.may_spill ? page_locked(bytes) : nullptr;
  if (!memory)
    throw Error(ErrorKind::device, "out of device memory: " + std::to_string(bytes) + " bytes more than the " +
                                       std::to_string(statistics().current_bytes) + " in use fit neither on device " +
                                       std::to_string(device_) + " nor in the host's memory");
  spilled_.emplace(memory, bytes);
  spilled_bytes_ += static_cast<std::int64_t>(bytes);
  most_spilled_bytes_ = std::max(most_spilled_bytes_, spilled_bytes_);
  log_request(PoolRequest::Action::spill, memory, bytes);
  return memory;
}

void* DevicePool::allocate(std::size_t bytes) {
  if (requests_until_failure_ >= 0 && requests_until_failure_-- == 0)
    throw Error(ErrorKind::device,
                "out of device memory: " + std::to_string(bytes) + " bytes, because a test wants it so");
  bytes = std::max<std::size_t>(bytes, 1);  // a block of its own even for nothing: a distinct, freeable address
  void* memory = managed_ ? from_managed(bytes) : from_device(bytes);
  return memory ? memory : spill(bytes);
}

void DevicePool::deallocate(void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
  try {
    if (const auto found = spilled_.find(memory); found != spilled_.end()) {
      cudaStreamSynchronize(stream_);  // work that is queued may still use it
      log_request(PoolRequest::Action::unspill, memory, found->second);
      spilled_bytes_ -= static_cast<std::int64_t>(found->second);
      spilled_.erase(found);
      release_page_locked(static_cast<char*>(memory));
    } else if (managed_) {
      log_request(PoolRequest::Action::free, memory, bytes);
      cudaFreeAsync(memory, stream_);
    } else {
      allocator::raw_delete(memory);
    }
  } catch (...) {
    // After a failed kernel every call fails; the error was reported where it happened.
  }
}

PoolStatistics DevicePool::statistics() const {
  if (managed_)
    return {.current_bytes = attribute(managed_, cudaMemPoolAttrUsedMemCurrent),
            .peak_bytes = attribute(managed_, cudaMemPoolAttrUsedMemHigh),
            .reserved_bytes = attribute(managed_, cudaMemPoolAttrReservedMemHigh),
            .requests = managed_requests_,
            .spilled_bytes = most_spilled_bytes_};
  constexpr auto kAll = 0;  // StatType::AGGREGATE
  const auto stats = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device_));
  return {.current_bytes = stats.allocated_bytes[kAll].current,
          .peak_bytes = stats.allocated_bytes[kAll].peak,
          .reserved_bytes = stats.reserved_bytes[kAll].peak,
          .requests = stats.allocation[kAll].allocated,
          .spilled_bytes = most_spilled_bytes_};
}

std::int64_t DevicePool::room_bytes() const {
  return std::max<std::int64_t>(capacity_bytes_ - capacity_bytes_ / kReserveShare - statistics().current_bytes, 0);
}

}  // namespace beatscan
