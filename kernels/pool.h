// kernels/pool.h — the one place where device memory comes from.
//
// A thin layer over LibTorch's caching allocator (c10_cuda alone, no tensors): buffers, CUB scratch, cuFFT work areas
// and LibTorch's own tensors share one pool, freed memory is used again in stream order, and one set of figures covers
// all of it.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace beatscan {

struct PoolStatistics {
  std::int64_t current_bytes = 0;   // handed out now
  std::int64_t peak_bytes = 0;      // most ever handed out
  std::int64_t reserved_bytes = 0;  // most ever taken from the driver
  std::int64_t requests = 0;        // allocations served
};

class DevicePool {
 public:
  DevicePool(int device, CUstream_st* stream);
  void* allocate(std::size_t bytes);  // throws Status::device where memory is short
  void deallocate(void* memory) noexcept;
  PoolStatistics statistics() const;

  // Bytes that this program's own buffers (not LibTorch's tensors) hold now: 0 at exit, or something leaked.
  std::int64_t held_bytes() const { return held_bytes_; }
  void count_held(std::int64_t bytes) { held_bytes_ += bytes; }

 private:
  int device_;
  CUstream_st* stream_;
  std::int64_t held_bytes_ = 0;
};

}  // namespace beatscan
