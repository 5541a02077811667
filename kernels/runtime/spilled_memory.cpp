#include "kernels/runtime/spilled_memory.h"

#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/runtime/page_locked.h"
#include "kernels/runtime/pool_log.h"

namespace beatscan {

void* SpilledMemory::allocate(std::size_t bytes) {
  char* memory = page_locked(bytes);
  if (!memory) return nullptr;
  sizes_.emplace(memory, bytes);
  bytes_ += static_cast<std::int64_t>(bytes);
  most_bytes_ = std::max(most_bytes_, bytes_);
  log_request(PoolRequest::Action::spill, memory, bytes);
  return memory;
}

bool SpilledMemory::deallocate(void* memory, CUstream_st* stream) {
  const auto found = sizes_.find(memory);
  if (found == sizes_.end()) return false;
  cudaStreamSynchronize(stream);  // work that is queued may still use the memory
  log_request(PoolRequest::Action::unspill, memory, found->second);
  bytes_ -= static_cast<std::int64_t>(found->second);
  sizes_.erase(found);
  release_page_locked(static_cast<char*>(memory));
  return true;
}

}  // namespace beatscan
