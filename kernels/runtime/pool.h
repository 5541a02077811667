// kernels/runtime/pool.h — the only source of device memory.
//
// Buffers, CUB's scratch memory and cuFFT's work areas come from here, and so do LibTorch's tensors, from the same
// DeviceMemory. Memory that does not fit is page-locked memory of the host (spilled_memory.h): kernels read it over the
// bus, which is slower and gives the same results. Stages whose arrays are as long as the recording work in windows
// instead of spilling, see room_bytes().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/runtime/device_memory.h"
#include "kernels/runtime/pool_options.h"
#include "kernels/runtime/spilled_memory.h"

namespace beatscan {

class DevicePool {
 public:
  DevicePool(int device, CUstream_st* stream, const PoolOptions& options);  // of the process's shared memory
  // Takes memory from an allocator of the surrounding program, which may free it itself. Nothing is spilled.
  DevicePool(int device, CUstream_st* stream, std::shared_ptr<DeviceMemory> memory);
  ~DevicePool();
  DevicePool(DevicePool&&) = delete;
  void* allocate(std::size_t bytes);  // throws ErrorKind::device if neither device nor host has enough memory
  void deallocate(void* memory, std::size_t bytes) noexcept;
  PoolStatistics statistics() const;
  const PoolOptions& options() const { return options_; }
  // Makes a pool of the same memory and options for another stream.
  std::unique_ptr<DevicePool> for_stream(CUstream_st* stream) const;

  // Returns the size of the largest array that will not be spilled: the memory left, less a reserve for small buffers.
  std::int64_t room_bytes() const;

  // Returns the bytes that this program's own buffers, not LibTorch's tensors, hold now. Any number but 0 at exit is a
  // leak.
  std::int64_t held_bytes() const { return held_bytes_; }
  void count_held(std::int64_t bytes) { held_bytes_ += bytes; }

  // For tests: after `requests` more requests one fails, as it would if neither device nor host had memory.
  void fail_after(std::int64_t requests) { requests_until_failure_ = requests; }

 private:
  bool is_limited() const;
  void* from_memory(std::size_t bytes);  // nullptr if it does not fit
  int device_;
  CUstream_st* stream_;
  PoolOptions options_;
  std::int64_t capacity_bytes_ = 0;
  std::shared_ptr<DeviceMemory> memory_;
  std::shared_ptr<SharedMemory> shared_;  // memory_, if it is the process's; else nullptr
  SpilledMemory spilled_;
  std::int64_t held_bytes_ = 0;
  std::int64_t requests_until_failure_ = -1;  // negative: none fails
};

// A request to any pool of the process, or of LibTorch to its memory.
struct PoolRequest {
  enum class Action { allocate, free, spill, unspill, reserve, release };  // the last two: the driver's pool changes
  double time_s;                                                           // since the log was started
  Action action;
  std::uintptr_t address;
  std::int64_t bytes;
};
void start_pool_log();                     // begins an empty log, which has the requests from now on
std::vector<PoolRequest> take_pool_log();  // ends the log and returns it
}  // namespace beatscan
