// kernels/runtime/pool.h — the only source of device memory.
//
// A thin layer over LibTorch's caching allocator (c10_cuda alone, no tensors). Buffers, CUB's scratch memory, cuFFT's
// work areas and LibTorch's own tensors share one pool. Freed memory is used again in stream order, and one set of
// figures covers all of it. Two parts can take the allocator's place:
//   managed_pool.h    for all memory, if PoolOptions says so
//   spilled_memory.h  for memory that does not fit: it is page-locked memory of the host. Kernels read it over the bus,
//                     which is slower and gives the same results.
// Stages whose arrays are as long as the recording work in windows instead of spilling, see room_bytes().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/runtime/pool_options.h"
#include "kernels/runtime/spilled_memory.h"

namespace beatscan {

class ManagedPool;

class DevicePool {
 public:
  DevicePool(int device, CUstream_st* stream, const PoolOptions& options);
  ~DevicePool();
  DevicePool(DevicePool&&) = delete;
  void* allocate(std::size_t bytes);  // throws ErrorKind::device if neither device nor host has enough memory
  void deallocate(void* memory, std::size_t bytes) noexcept;
  PoolStatistics statistics() const;
  const PoolOptions& options() const { return options_; }

  // Returns the size of the largest array that will not be spilled: the memory left, less a reserve for small buffers.
  std::int64_t room_bytes() const;

  // Returns the bytes that this program's own buffers, not LibTorch's tensors, hold now. Any number but 0 at exit is a
  // leak.
  std::int64_t held_bytes() const { return held_bytes_; }
  void count_held(std::int64_t bytes) { held_bytes_ += bytes; }

  // For tests: after `requests` more requests one fails, as it would if neither device nor host had memory.
  void fail_after(std::int64_t requests) { requests_until_failure_ = requests; }

 private:
  void* from_device(std::size_t bytes);   // nullptr if the memory does not fit
  void* from_managed(std::size_t bytes);  // nullptr if the memory does not fit
  int device_;
  CUstream_st* stream_;
  PoolOptions options_;
  std::int64_t capacity_bytes_ = 0;
  std::unique_ptr<ManagedPool> managed_;  // nullptr for PoolKind::device
  SpilledMemory spilled_;
  std::int64_t held_bytes_ = 0;
  std::int64_t requests_until_failure_ = -1;  // negative: none fails
};

// A request to any pool of the process, LibTorch's among them.
struct PoolRequest {
  enum class Action { allocate, free, spill, unspill, reserve, release };  // the last two: of memory from the driver
  double time_s;                                                           // since the log was started
  Action action;
  std::uintptr_t address;
  std::int64_t bytes;
};
void start_pool_log();                     // begins an empty log, which has the requests from now on
std::vector<PoolRequest> take_pool_log();  // ends the log and returns it
}  // namespace beatscan
