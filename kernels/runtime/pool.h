// kernels/runtime/pool.h — the one place where device memory comes from.
//
// A thin layer over LibTorch's caching allocator (c10_cuda alone, no tensors): buffers, CUB scratch, cuFFT work areas
// and LibTorch's own tensors share one pool, freed memory is used again in stream order, and one set of figures covers
// all of it.
//
// What does not fit is put into page-locked memory of the host, which kernels read over the bus: slower, and the same
// results. Stages whose arrays are as long as the recording work in windows instead, see room_bytes().
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

struct CUstream_st;
struct CUmemPoolHandle_st;

namespace beatscan {

enum class PoolKind {
  device,
  managed,  // pages move between device and host as they are used; the device holds more than it has memory
};

struct PoolOptions {
  PoolKind kind = PoolKind::device;
  std::int64_t limit_bytes = 0;  // of the device's memory, for all contexts of a process together; 0: all there is
  bool may_spill = true;         // not where memory is handed over to others, who free it as the device's
};

struct PoolStatistics {
  std::int64_t current_bytes = 0;   // handed out now
  std::int64_t peak_bytes = 0;      // most ever handed out
  std::int64_t reserved_bytes = 0;  // most ever taken from the driver
  std::int64_t requests = 0;        // allocations served
  std::int64_t spilled_bytes = 0;   // most ever put into the host's memory instead
};

class DevicePool {
 public:
  DevicePool(int device, CUstream_st* stream, const PoolOptions& options);
  ~DevicePool();
  DevicePool(DevicePool&&) = delete;
  void* allocate(std::size_t bytes);  // throws ErrorKind::device where neither device nor host has as much
  void deallocate(void* memory, std::size_t bytes) noexcept;
  PoolStatistics statistics() const;

  // That can be had without crowding out what small buffers need: the size of an array that will not be spilled.
  std::int64_t room_bytes() const;

  // Bytes that this program's own buffers (not LibTorch's tensors) hold now: 0 at exit, or something leaked.
  std::int64_t held_bytes() const { return held_bytes_; }
  void count_held(std::int64_t bytes) { held_bytes_ += bytes; }

  // For tests: the request behind `requests` more fails, as it would if neither device nor host had memory.
  void fail_after(std::int64_t requests) { requests_until_failure_ = requests; }

 private:
  void* from_device(std::size_t bytes);   // nullptr where it does not fit
  void* from_managed(std::size_t bytes);  // likewise
  void* spill(std::size_t bytes);
  int device_;
  CUstream_st* stream_;
  PoolOptions options_;
  std::int64_t capacity_bytes_ = 0;
  CUmemPoolHandle_st* managed_ = nullptr;
  std::unordered_map<void*, std::size_t> spilled_;
  std::int64_t held_bytes_ = 0, spilled_bytes_ = 0, most_spilled_bytes_ = 0, managed_requests_ = 0;
  std::int64_t requests_until_failure_ = -1;
};

// Requests of all pools of the process, LibTorch's among them, from start_pool_log() on.
struct PoolRequest {
  enum class Action { allocate, free, spill, unspill, reserve, release };  // the last two: of memory from the driver
  double time_s;                                                           // since the log was started
  Action action;
  std::uintptr_t address;
  std::int64_t bytes;
};
void start_pool_log();
std::vector<PoolRequest> take_pool_log();

}  // namespace beatscan
