#include "kernels/runtime/context.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <new>

#include "kernels/machine/host_threads.h"
#include "kernels/machine/processor_set.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

int Cpu::threads() const { return threads_ > 0 ? threads_ : host_threads(); }

std::span<char> Cpu::staging(std::size_t bytes) {
  if (staging_bytes_ < bytes) {
    staging_.reset();
    staging_ = std::make_unique_for_overwrite<char[]>(bytes);  // pages that nobody writes to are never brought in
    staging_bytes_ = bytes;
  }
  return std::span(staging_.get(), bytes);
}

// Aligns memory to 64 bytes, the size of a cache line and of the widest vector register.
void* Cpu::allocate(std::size_t bytes) { return ::operator new(std::max<std::size_t>(bytes, 1), std::align_val_t(64)); }

void Cpu::deallocate(void* memory, std::size_t) noexcept { ::operator delete(memory, std::align_val_t(64)); }

void copy_bytes(Cpu&, const void* source, void* target, std::size_t bytes) {
  if (bytes > 0) std::memmove(target, source, bytes);
}

void zero_bytes(Cpu&, void* target, std::size_t bytes) {
  if (bytes > 0) std::memset(target, 0, bytes);
}

DeviceDescription describe(const Cpu& cpu) {
  static const std::string name = [] {
    std::ifstream cpuinfo("/proc/cpuinfo");
    return processor_name(cpuinfo);
  }();
  DeviceDescription description;
  description.name = name;
  description.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  description.multiprocessors = cpu.threads();
  return description;
}

#ifndef BEATSCAN_WITH_CUDA
CudaAvailability cuda_availability() { return {.reason = "this program was built without CUDA"}; }
#endif

int CudaAvailability::first_usable() const {
  return static_cast<int>(std::ranges::find(why_not, "") - why_not.begin());
}

}  // namespace beatscan
