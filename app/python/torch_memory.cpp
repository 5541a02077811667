#include "app/python/torch_memory.h"

#ifdef BEATSCAN_WITH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>

#include <string>

#include "kernels/runtime/error.h"

namespace beatscan::operators {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

class TorchMemory : public DeviceMemory {
 public:
  explicit TorchMemory(int device) : device_(device) {}

  void* allocate(std::size_t bytes, CUstream_st* stream) override {
    try {
      return allocator::raw_alloc_with_stream(bytes, stream);
    } catch (const c10::OutOfMemoryError&) {
      return nullptr;
    } catch (const c10::Error& error) {
      throw Error(ErrorKind::device, std::string("CUDA: ") + error.what_without_backtrace());
    }
  }

  void deallocate(void* memory, std::size_t, CUstream_st*) noexcept override {
    try {
      allocator::raw_delete(memory);
    } catch (...) {
      // After a failed kernel every call fails. That error was reported where it happened.
    }
  }

  PoolStatistics statistics() const override {
    constexpr auto kAll = 0;  // StatType::AGGREGATE
    const auto stats = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device_));
    return {.current_bytes = stats.allocated_bytes[kAll].current,
            .peak_bytes = stats.allocated_bytes[kAll].peak,
            .reserved_bytes = stats.reserved_bytes[kAll].peak,
            .requests = stats.allocation[kAll].allocated};
  }

 private:
  int device_;
};

}  // namespace

std::shared_ptr<DeviceMemory> torch_memory(int device) { return std::make_shared<TorchMemory>(device); }

}  // namespace beatscan::operators
#endif
