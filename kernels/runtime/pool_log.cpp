#include "kernels/runtime/pool_log.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

namespace beatscan {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using Clock = std::chrono::steady_clock;

// The log of the process, which has one allocator.
struct RequestLog {
  std::atomic<bool> kept = false;
  std::mutex mutex;
  Clock::time_point start;
  std::vector<PoolRequest> requests;
};
RequestLog& request_log() {
  static RequestLog log;
  return log;
}

std::optional<PoolRequest::Action> action_of(allocator::TraceEntry::Action action) {
  switch (action) {
    case allocator::TraceEntry::ALLOC:
      return PoolRequest::Action::allocate;
    case allocator::TraceEntry::FREE_COMPLETED:
      return PoolRequest::Action::free;
    case allocator::TraceEntry::SEGMENT_ALLOC:
      return PoolRequest::Action::reserve;
    case allocator::TraceEntry::SEGMENT_FREE:
      return PoolRequest::Action::release;
    default:
      return std::nullopt;
  }
}

}  // namespace

void log_request(PoolRequest::Action action, const void* memory, std::size_t bytes) {
  RequestLog& log = request_log();
  if (!log.kept) return;
  const std::lock_guard lock(log.mutex);
  log.requests.push_back({std::chrono::duration<double>(Clock::now() - log.start).count(), action,
                          reinterpret_cast<std::uintptr_t>(memory), static_cast<std::int64_t>(bytes)});
}

// The tracker is attached once for the process, because it cannot be detached again.
void attach_pool_log() {
  if (!request_log().kept) return;
  static const bool attached = [] {
    allocator::attachAllocatorTraceTracker([](const allocator::TraceEntry& entry) {
      if (const auto action = action_of(entry.action_))
        log_request(*action, reinterpret_cast<const void*>(entry.addr_), entry.size_);
    });
    return true;
  }();
  static_cast<void>(attached);
}

void start_pool_log() {
  RequestLog& log = request_log();
  {
    const std::lock_guard lock(log.mutex);
    log.requests.clear();
    log.start = Clock::now();
  }
  log.kept = true;
  if (allocator::get() && allocator::get()->initialized()) attach_pool_log();
}

std::vector<PoolRequest> take_pool_log() {
  RequestLog& log = request_log();
  log.kept = false;
  const std::lock_guard lock(log.mutex);
  return std::exchange(log.requests, {});
}

}  // namespace beatscan
