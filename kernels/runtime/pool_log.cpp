#include "kernels/runtime/pool_log.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <utility>

namespace beatscan {
namespace {

using Clock = std::chrono::steady_clock;

// The log of the process.
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

}  // namespace

bool keeps_pool_log() { return request_log().kept; }

void log_request(PoolRequest::Action action, const void* memory, std::size_t bytes) noexcept {
  RequestLog& log = request_log();
  if (!log.kept) return;
  const std::lock_guard lock(log.mutex);
  try {
    log.requests.push_back({std::chrono::duration<double>(Clock::now() - log.start).count(), action,
                            reinterpret_cast<std::uintptr_t>(memory), static_cast<std::int64_t>(bytes)});
  } catch (const std::bad_alloc&) {
  }
}

void start_pool_log() {
  RequestLog& log = request_log();
  const std::lock_guard lock(log.mutex);
  log.requests.clear();
  log.start = Clock::now();
  log.kept = true;
}

std::vector<PoolRequest> take_pool_log() {
  RequestLog& log = request_log();
  log.kept = false;
  const std::lock_guard lock(log.mutex);
  return std::exchange(log.requests, {});
}

}  // namespace beatscan
