#include "kernels/runtime/device_memory.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <map>
#include <new>
#include <string>
#include <utility>

#include "kernels/runtime/error.h"
#include "kernels/runtime/pool_log.h"

namespace beatscan {
namespace {

constexpr std::size_t kGranularity = 512;  // of the driver's pools
constexpr std::size_t kKept = 1 << 20;     // larger blocks go back to the driver
constexpr std::size_t kFirstBytes = 32 << 20;

// Returns the size of the block for a request. Blocks that are kept have eight sizes an octave, so that a batch of many
// recordings does not keep one of each size.
std::size_t block_bytes(std::size_t bytes) {
  const std::size_t step = bytes > kKept ? kGranularity : std::max(kGranularity, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

// Returns an attribute of a pool, or 0 if the GPU has failed.
std::int64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  std::uint64_t value = 0;
  if (cudaMemPoolGetAttribute(pool, which, &value) != cudaSuccess) return 0;
  return static_cast<std::int64_t>(value);
}

void set_attribute(cudaMemPool_t pool, cudaMemPoolAttr which, auto value) {
  BEATSCAN_CUDA_CHECK(cudaMemPoolSetAttribute(pool, which, &value));
}

struct SharedMemories {
  std::mutex mutex;
  std::map<std::pair<int, PoolKind>, std::shared_ptr<SharedMemory>> of_device;
};
SharedMemories& shared_memories() {
  static auto* memories = new SharedMemories;  // never deleted: LibTorch may free memory after this file's objects end
  return *memories;
}

}  // namespace

SharedMemory::SharedMemory(int device, PoolKind kind) : device_(device) {
  cudaMemPoolProps properties{};
  properties.allocType = kind == PoolKind::managed ? cudaMemAllocationTypeManaged : cudaMemAllocationTypePinned;
  properties.location = {.type = cudaMemLocationTypeDevice, .id = device};
  const cudaError_t status = cudaMemPoolCreate(&pool_, &properties);
  if (status != cudaSuccess) {
    cudaGetLastError();  // clears the error
    const bool managed = kind == PoolKind::managed;
    throw Error(ErrorKind::device, std::string("this driver has no pools of ") + (managed ? "managed" : "device") +
                                       " memory (" + cudaGetErrorString(status) + ")" +
                                       (managed ? "; use pool.kind=device" : ""));
  }
  try {
    set_attribute(pool_, cudaMemPoolAttrReleaseThreshold, ~std::uint64_t{0});
    // A stream never waits for another one because of memory.
    set_attribute(pool_, cudaMemPoolReuseAllowInternalDependencies, 0);
    // The first request takes 6 ms.
    if (void* memory = from_driver(kFirstBytes, nullptr)) cudaFreeAsync(memory, nullptr);
  } catch (...) {
    cudaMemPoolDestroy(pool_);
    throw;
  }
}

SharedMemory::~SharedMemory() {
  release_freed();
  cudaMemPoolDestroy(pool_);
}

bool SharedMemory::take(std::size_t size) {
  const std::lock_guard lock(mutex_);
  const auto bytes = static_cast<std::int64_t>(size);
  if (limit_bytes_ > 0 && statistics_.current_bytes + bytes > limit_bytes_) return false;
  statistics_.current_bytes += bytes;
  statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.current_bytes);
  ++statistics_.requests;
  return true;
}

void SharedMemory::give_back(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  statistics_.current_bytes -= static_cast<std::int64_t>(bytes);
}

void* SharedMemory::from_driver(std::size_t bytes, CUstream_st* stream) {
  void* memory = nullptr;
  cudaError_t status = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream);
  if (status == cudaErrorMemoryAllocation) {  // memory that other streams freed can be used when their work has ended
    cudaGetLastError();
    if (release_freed()) status = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream);
  }
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // clears the error
    return nullptr;
  }
  BEATSCAN_CUDA_CHECK(status);
  log_reserved();
  return memory;
}

void* SharedMemory::from_freed(std::size_t size, CUstream_st* stream) {
  const std::lock_guard lock(mutex_);
  const auto found = freed_.find({stream, size});
  if (found == freed_.end() || found->second.empty()) return nullptr;
  void* memory = found->second.back();
  found->second.pop_back();
  return memory;
}

void* SharedMemory::allocate(std::size_t bytes, CUstream_st* stream) {
  const std::size_t size = block_bytes(bytes);
  if (!take(size)) return nullptr;
  void* memory = nullptr;
  try {
    memory = from_freed(size, stream);
    if (!memory) memory = from_driver(size, stream);
  } catch (...) {
    give_back(size);
    throw;
  }
  if (memory)
    log_request(PoolRequest::Action::allocate, memory, bytes);
  else
    give_back(size);
  return memory;
}

void SharedMemory::deallocate(void* memory, std::size_t bytes, CUstream_st* stream) noexcept {
  const std::size_t size = block_bytes(bytes);
  give_back(size);
  try {
    log_request(PoolRequest::Action::free, memory, bytes);
    if (size <= kKept) {
      const std::lock_guard lock(mutex_);
      freed_[{stream, size}].push_back(memory);
      return;
    }
  } catch (const std::bad_alloc&) {  // the host's memory does not suffice for the list
  }
  cudaFreeAsync(memory, stream);  // after a failed kernel every call fails. That was reported where it happened
}

bool SharedMemory::release_freed() {
  decltype(freed_) freed;
  {
    const std::lock_guard lock(mutex_);
    freed_.swap(freed);
  }
  if (cudaDeviceSynchronize() != cudaSuccess) return false;  // the work of all streams that left these blocks has ended
  for (const auto& [of, blocks] : freed)
    for (void* memory : blocks) cudaFreeAsync(memory, nullptr);  // not on their streams, which may have ended, too
  return cudaDeviceSynchronize() == cudaSuccess;
}

PoolStatistics SharedMemory::statistics() const {
  const std::lock_guard lock(mutex_);
  PoolStatistics statistics = statistics_;
  statistics.reserved_bytes = attribute(pool_, cudaMemPoolAttrReservedMemHigh);
  return statistics;
}

void SharedMemory::prefetch(void* memory, std::size_t bytes, CUstream_st* stream) {
  BEATSCAN_CUDA_CHECK(
      cudaMemPrefetchAsync(memory, bytes, {.type = cudaMemLocationTypeDevice, .id = device_}, 0, stream));
}

void SharedMemory::begin_limit(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_bytes_ = bytes;
  ++limits_;
}

void SharedMemory::end_limit() {
  const std::lock_guard lock(mutex_);
  if (--limits_ == 0) limit_bytes_ = 0;
}

void SharedMemory::log_reserved() noexcept {
  if (!keeps_pool_log()) return;
  const std::lock_guard lock(mutex_);
  const std::int64_t now = attribute(pool_, cudaMemPoolAttrReservedMemCurrent);
  const std::int64_t change = now - std::exchange(logged_reserved_bytes_, now);
  if (change == 0) return;
  log_request(change > 0 ? PoolRequest::Action::reserve : PoolRequest::Action::release, nullptr,
              static_cast<std::size_t>(std::abs(change)));
}

std::shared_ptr<SharedMemory> shared_memory(int device, PoolKind kind) {
  const std::lock_guard lock(shared_memories().mutex);
  auto& memory = shared_memories().of_device[{device, kind}];
  if (!memory) memory = std::make_shared<SharedMemory>(device, kind);
  return memory;
}

void forget_shared_memory(int device) noexcept {
  const std::lock_guard lock(shared_memories().mutex);
  std::erase_if(shared_memories().of_device, [&](const auto& entry) { return entry.first.first == device; });
}

}  // namespace beatscan
