#include "kernels/pool.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <string>

#include "kernels/check.h"

namespace beatscan {

namespace allocator = c10::cuda::CUDACachingAllocator;

DevicePool::DevicePool(int device, CUstream_st* stream) : device_(device), stream_(stream) {
  allocator::init(c10::cuda::device_count());
}

void* DevicePool::allocate(std::size_t bytes) {
  try {
    // A block of its own even for nothing, so that every buffer has a distinct, freeable address.
    return allocator::raw_alloc_with_stream(bytes == 0 ? 1 : bytes, stream_);
  } catch (const c10::OutOfMemoryError&) {
    throw Error(Status::device, "out of device memory: " + std::to_string(bytes) + " bytes more than the " +
                                    std::to_string(statistics().current_bytes) + " in use do not fit on device " +
                                    std::to_string(device_));
  } catch (const c10::Error& error) {
    throw Error(Status::device, std::string("CUDA: ") + error.what_without_backtrace());
  }
}

void DevicePool::deallocate(void* memory) noexcept {
  try {
    allocator::raw_delete(memory);
  } catch (...) {
    // After a failed kernel every call fails; the error was reported where it happened.
  }
}

PoolStatistics DevicePool::statistics() const {
  constexpr auto kAll = 0;  // StatType::AGGREGATE
  const auto stats = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device_));
  return {.current_bytes = stats.allocated_bytes[kAll].current,
          .peak_bytes = stats.allocated_bytes[kAll].peak,
          .reserved_bytes = stats.reserved_bytes[kAll].peak,
          .requests = stats.allocation[kAll].allocated};
}

}  // namespace beatscan
