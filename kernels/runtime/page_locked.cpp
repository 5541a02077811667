#include "kernels/runtime/page_locked.h"

#include <cuda_runtime.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "kernels/machine/host_memory.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

// Makes the system give the memory now, all threads at a time: one alone takes long (docs/performance.md).
void touch(char* memory, std::size_t bytes) {
  parallel_each(Cpu(), static_cast<std::int64_t>(bytes / kPageLockedUnit), [&](std::int64_t page) {
    std::memset(memory + static_cast<std::size_t>(page) * kPageLockedUnit, 0, kPageLockedUnit);
  });
}

}  // namespace

// Takes large pages, touches them and locks them, which is faster than cudaMallocHost.
char* page_locked(std::size_t bytes) {
  const std::size_t rounded = rounded_to_page_locked(bytes);
  constexpr std::size_t kSmall = 64 << 20;
  if (rounded > kSmall && rounded > available_host_bytes() / 8 * 7) return nullptr;
  std::unique_ptr<char, decltype(&std::free)> memory(static_cast<char*>(std::aligned_alloc(kPageLockedUnit, rounded)),
                                                     std::free);
  if (!memory) return nullptr;
  madvise(memory.get(), rounded, MADV_HUGEPAGE);  // if it fails, pages are small
  touch(memory.get(), rounded);
  if (cudaHostRegister(memory.get(), rounded, cudaHostRegisterMapped) == cudaSuccess) return memory.release();
  cudaGetLastError();  // clears the error
  return nullptr;
}

void release_page_locked(char* memory) noexcept {
  cudaHostUnregister(memory);
  std::free(memory);
}

}  // namespace beatscan
