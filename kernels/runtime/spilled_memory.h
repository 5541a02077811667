// kernels/runtime/spilled_memory.h — page-locked memory of the host that replaces the device's when that is full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

struct CUstream_st;

namespace beatscan {

class SpilledMemory {
 public:
  void* allocate(std::size_t bytes);  // nullptr if the host has not enough memory either
  // Frees memory when the stream's queued work has ended. Returns false if the memory is not of this object.
  bool deallocate(void* memory, CUstream_st* stream);
  std::int64_t most_bytes() const { return most_bytes_; }  // the most that was ever handed out

 private:
  std::unordered_map<void*, std::size_t> sizes_;
  std::int64_t bytes_ = 0, most_bytes_ = 0;
};

}  // namespace beatscan
