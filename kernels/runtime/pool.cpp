#include "kernels/runtime/pool.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/managed_pool.h"
#include "kernels/runtime/pool_log.h"

namespace beatscan {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

// Arrays of this size or more must leave an eighth of the pool to smaller ones.
constexpr std::size_t kLarge = 32 << 20;
constexpr std::int64_t kReserveShare = 8;
constexpr std::size_t kPrefetched = std::size_t{1} << 20;  // smaller arrays come with the first access

// Counts the pools that limit the memory of each device. A limit is the process's, and ends with the last of them.
struct LimitedPools {
  std::mutex mutex;
  std::map<int, int> of_device;
};
LimitedPools& limited_pools() {
  static auto* pools = new LimitedPools;  // never deleted: a pool may end after this file's objects
  return *pools;
}

void begin_limit(int device, double share) {
  const std::lock_guard lock(limited_pools().mutex);
  ++limited_pools().of_device[device];
  allocator::emptyCache();  // a limit counts new memory only, and this pool would use what earlier ones left
  allocator::setMemoryFraction(share, static_cast<c10::DeviceIndex>(device));
}

void end_limit(int device) {
  const std::lock_guard lock(limited_pools().mutex);
  if (--limited_pools().of_device[device] == 0) allocator::setMemoryFraction(1, static_cast<c10::DeviceIndex>(device));
}

PoolStatistics statistics_of_allocator(int device) {
  constexpr auto kAll = 0;  // StatType::AGGREGATE
  const auto stats = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
  return {.current_bytes = stats.allocated_bytes[kAll].current,
          .peak_bytes = stats.allocated_bytes[kAll].peak,
          .reserved_bytes = stats.reserved_bytes[kAll].peak,
          .requests = stats.allocation[kAll].allocated};
}

}  // namespace

DevicePool::DevicePool(int device, CUstream_st* stream, const PoolOptions& options)
    : device_(device), stream_(stream), options_(options) {
  static std::once_flag initialised;  // several threads may make their first pool at a time, and LibTorch locks nothing
  std::call_once(initialised, [] { allocator::init(c10::cuda::device_count()); });
  attach_pool_log();
  const std::int64_t total = device_memory_bytes(device);
  capacity_bytes_ = options.limit_bytes > 0 ? std::min(options.limit_bytes, total) : total;
  if (options.kind == PoolKind::managed) {
    managed_ = std::make_unique<ManagedPool>(device, stream);
  } else if (options.limit_bytes > 0) {
    begin_limit(device, static_cast<double>(capacity_bytes_) / static_cast<double>(total));
  }
}

DevicePool::~DevicePool() {
  if (!managed_ && options_.limit_bytes > 0) end_limit(device_);
}

void* DevicePool::from_device(std::size_t bytes) {
  if (options_.may_spill && bytes >= kLarge && static_cast<std::int64_t>(bytes) > room_bytes()) return nullptr;
  try {
    return allocator::raw_alloc_with_stream(bytes, stream_);
  } catch (const c10::OutOfMemoryError&) {
    cudaGetLastError();  // clears the error
    return nullptr;
  } catch (const c10::Error& error) {
    throw Error(ErrorKind::device, std::string("CUDA: ") + error.what_without_backtrace());
  }
}

void* DevicePool::from_managed(std::size_t bytes) {
  void* memory = managed_->allocate(bytes);
  if (memory && bytes >= kPrefetched && static_cast<std::int64_t>(bytes) <= room_bytes())
    managed_->prefetch(memory, bytes);
  return memory;
}

void* DevicePool::allocate(std::size_t bytes) {
  if (requests_until_failure_ >= 0 && requests_until_failure_-- == 0)
    throw Error(ErrorKind::device,
                "out of device memory: " + std::to_string(bytes) + " bytes, because a test requests it");
  bytes = std::max<std::size_t>(bytes, 1);  // 0 bytes get a block, too, which can be freed
  void* memory = managed_ ? from_managed(bytes) : from_device(bytes);
  if (!memory && options_.may_spill) memory = spilled_.allocate(bytes);
  if (!memory)
    throw Error(ErrorKind::device, "out of device memory: " + std::to_string(bytes) + " bytes more than the " +
                                       std::to_string(statistics().current_bytes) + " in use do not fit on device " +
                                       std::to_string(device_) +
                                       (options_.may_spill ? ", nor in the host's memory" : ""));
  return memory;
}

void DevicePool::deallocate(void* memory, std::size_t bytes) noexcept {
  try {
    if (spilled_.deallocate(memory, stream_)) return;
    if (managed_)
      managed_->deallocate(memory, bytes);
    else
      allocator::raw_delete(memory);
  } catch (...) {
    // After a failed kernel every call fails. That error was reported where it happened.
  }
}

PoolStatistics DevicePool::statistics() const {
  PoolStatistics statistics = managed_ ? managed_->statistics() : statistics_of_allocator(device_);
  statistics.spilled_bytes = spilled_.most_bytes();
  return statistics;
}

std::int64_t DevicePool::room_bytes() const {
  return std::max<std::int64_t>(capacity_bytes_ - capacity_bytes_ / kReserveShare - statistics().current_bytes, 0);
}

}  // namespace beatscan
