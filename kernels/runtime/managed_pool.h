// kernels/runtime/managed_pool.h — managed memory for the device pool: pages move between device and host as they are
// used, so that a device holds more than it has memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/runtime/pool.h"

struct CUmemPoolHandle_st;

namespace beatscan {

class ManagedPool {
 public:
  ManagedPool(int device, CUstream_st* stream);  // throws ErrorKind::device if the driver has no such pools
  ~ManagedPool();
  ManagedPool(ManagedPool&&) = delete;

  void* allocate(std::size_t bytes);  // nullptr if there is not enough memory
  void deallocate(void* memory, std::size_t bytes);
  // Moves memory to the device before it is used. Otherwise each page would move at a page fault, when the device first
  // writes to it.
  void prefetch(void* memory, std::size_t bytes);
  PoolStatistics statistics() const;

 private:
  int device_;
  CUstream_st* stream_;
  CUmemPoolHandle_st* pool_ = nullptr;
  std::int64_t requests_ = 0;
};

}  // namespace beatscan
