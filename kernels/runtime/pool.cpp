#include "kernels/runtime/pool.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// Arrays of this size or more must leave an eighth of the pool to smaller ones.
constexpr std::size_t kLarge = 32 << 20;
constexpr std::int64_t kReserveShare = 8;
constexpr std::size_t kPrefetched = std::size_t{1} << 20;  // smaller arrays come with the first access

}  // namespace

DevicePool::DevicePool(int device, CUstream_st* stream, const PoolOptions& options)
    : device_(device), stream_(stream), options_(options), capacity_bytes_(device_memory_bytes(device)) {
  if (options.limit_bytes > 0) capacity_bytes_ = std::min(options.limit_bytes, capacity_bytes_);
  memory_ = shared_ = shared_memory(device, options.kind);
  if (is_limited()) shared_->begin_limit(capacity_bytes_);
}

DevicePool::DevicePool(int device, CUstream_st* stream, std::shared_ptr<DeviceMemory> memory)
    : device_(device),
      stream_(stream),
      options_({.may_spill = false}),
      capacity_bytes_(device_memory_bytes(device)),
      memory_(std::move(memory)) {}

DevicePool::~DevicePool() {
  if (is_limited()) shared_->end_limit();
}

std::unique_ptr<DevicePool> DevicePool::for_stream(CUstream_st* stream) const {
  return shared_ ? std::make_unique<DevicePool>(device_, stream, options_)
                 : std::make_unique<DevicePool>(device_, stream, memory_);
}

// Managed memory is limited by what fits into the host and the device.
bool DevicePool::is_limited() const { return shared_ && options_.kind == PoolKind::device && options_.limit_bytes > 0; }

void* DevicePool::from_memory(std::size_t bytes) {
  const bool is_managed = options_.kind == PoolKind::managed;
  const bool is_large = bytes >= (is_managed ? kPrefetched : kLarge);
  const bool has_room = !is_large || static_cast<std::int64_t>(bytes) <= room_bytes();
  if (!has_room && !is_managed && options_.may_spill) return nullptr;
  void* memory = memory_->allocate(bytes, stream_);
  if (memory && is_managed && is_large && has_room) shared_->prefetch(memory, bytes, stream_);
  return memory;
}

void* DevicePool::allocate(std::size_t bytes) {
  if (requests_until_failure_ >= 0 && requests_until_failure_-- == 0)
    throw Error(ErrorKind::device,
                "out of device memory: " + std::to_string(bytes) + " bytes, because a test requests it");
  bytes = std::max<std::size_t>(bytes, 1);  // 0 bytes get a block, too, which can be freed
  void* memory = from_memory(bytes);
  if (!memory && options_.may_spill) memory = spilled_.allocate(bytes);
  if (!memory)
    throw Error(ErrorKind::device, "out of device memory: " + std::to_string(bytes) + " bytes more than the " +
                                       std::to_string(statistics().current_bytes) + " in use do not fit on device " +
                                       std::to_string(device_) +
                                       (options_.may_spill ? ", nor in the host's memory" : ""));
  return memory;
}

void DevicePool::deallocate(void* memory, std::size_t bytes) noexcept {
  if (!spilled_.deallocate(memory, stream_)) memory_->deallocate(memory, std::max<std::size_t>(bytes, 1), stream_);
}

PoolStatistics DevicePool::statistics() const {
  PoolStatistics statistics = memory_->statistics();
  statistics.spilled_bytes = spilled_.most_bytes();
  return statistics;
}

std::int64_t DevicePool::room_bytes() const {
  return std::max<std::int64_t>(capacity_bytes_ - capacity_bytes_ / kReserveShare - statistics().current_bytes, 0);
}

}  // namespace beatscan
