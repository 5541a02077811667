// kernels/runtime/device_memory.h — where pools take device memory from.
//
// SharedMemory is a stream-ordered pool of the driver (cudaMallocFromPoolAsync): memory that was freed on a stream is
// used again there without waiting. Freed blocks of up to 1 MiB are kept for the next request of their stream, because
// LibTorch makes 10,000 requests in a second, and the driver takes 3 us for each. All contexts of the process on a
// device have one, and LibTorch takes its memory from it, too (stages/model/torch/lent_memory.cpp). Within a program
// that has an allocator of its own, as PyTorch in Python, a pool takes memory from that one, through the interface
// (app/python/caller_memory.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/runtime/pool_options.h"

struct CUmemPoolHandle_st;
struct CUstream_st;

namespace beatscan {

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  // Returns memory for work that is queued on the stream from now on; nullptr if it does not fit. Throws
  // ErrorKind::device.
  virtual void* allocate(std::size_t bytes, CUstream_st* stream) = 0;
  // Frees memory after the work that is queued on the stream so far.
  virtual void deallocate(void* memory, std::size_t bytes, CUstream_st* stream) noexcept = 0;
  virtual PoolStatistics statistics() const = 0;  // of the process
};

class SharedMemory : public DeviceMemory {
 public:
  SharedMemory(int device, PoolKind kind);  // throws ErrorKind::device if the driver has no such pools
  ~SharedMemory() override;
  SharedMemory(SharedMemory&&) = delete;

  void* allocate(std::size_t bytes, CUstream_st* stream) override;
  void deallocate(void* memory, std::size_t bytes, CUstream_st* stream) noexcept override;
  PoolStatistics statistics() const override;

  // Moves managed memory to the device before it is used. Otherwise each page would move at a page fault, when the
  // device first writes to it.
  void prefetch(void* memory, std::size_t bytes, CUstream_st* stream);

  // Limits what is handed out, until end_limit was called as often. The last limit counts.
  void begin_limit(std::int64_t bytes);
  void end_limit();

 private:
  void* from_driver(std::size_t bytes, CUstream_st* stream);  // nullptr if it does not fit
  void* from_freed(std::size_t size, CUstream_st* stream);    // nullptr if there is none of this size
  bool release_freed();         // gives all freed blocks back to the driver; false if the GPU has failed
  bool take(std::size_t size);  // false if it is above the limit
  void give_back(std::size_t size);
  void log_reserved() noexcept;  // logs what the driver's pool has grown or shrunk by

  int device_;
  CUmemPoolHandle_st* pool_ = nullptr;
  mutable std::mutex mutex_;
  std::map<std::pair<CUstream_st*, std::size_t>, std::vector<void*>> freed_;  // by stream and size
  PoolStatistics statistics_;
  std::int64_t limit_bytes_ = 0;  // 0: none
  int limits_ = 0;
  std::int64_t logged_reserved_bytes_ = 0;
};

// Returns the memory of a device that all contexts of the process share. It is made at the first call, and keeps what
// it took from the driver until it is forgotten.
std::shared_ptr<SharedMemory> shared_memory(int device, PoolKind kind = PoolKind::device);

// Ends the memory of a device, before the device is reset. Nothing may hold any of it.
void forget_shared_memory(int device) noexcept;

}  // namespace beatscan
