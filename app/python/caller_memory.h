// app/python/caller_memory.h — the caller's allocator as the memory of GPUs, so that a program has one cache of freed
// memory, and the caller can free what it is handed over. In Python it is PyTorch's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/runtime/device_memory.h"

namespace beatscan::operators {

// The functions may be called by any thread. Memory is for work that is queued on its stream from its allocation to its
// freeing.
struct CallersAllocator {
  void* (*allocate)(std::size_t bytes, int device, void* stream) = nullptr;  // nullptr if the memory does not fit
  void (*deallocate)(void* memory) = nullptr;
  std::int64_t (*used_bytes)(int device) = nullptr;  // by the whole process
};

// Sets the allocator, before the first context on a GPU is made.
void use_allocator(const CallersAllocator& allocator);

// Returns the memory of a GPU. Throws ErrorKind::usage if no allocator was set.
std::shared_ptr<DeviceMemory> callers_memory(int device);

void free_callers_memory(void* memory) noexcept;

}  // namespace beatscan::operators
