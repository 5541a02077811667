#include "app/python/caller_memory.h"

#include "kernels/runtime/error.h"

namespace beatscan::operators {
namespace {

CallersAllocator callers_allocator;

class CallersMemory : public DeviceMemory {
 public:
  explicit CallersMemory(int device) : device_(device) {}
  void* allocate(std::size_t bytes, CUstream_st* stream) override {
    return callers_allocator.allocate(bytes, device_, stream);
  }
  void deallocate(void* memory, std::size_t, CUstream_st*) noexcept override { free_callers_memory(memory); }
  PoolStatistics statistics() const override { return {.current_bytes = callers_allocator.used_bytes(device_)}; }

 private:
  int device_;
};

}  // namespace

void use_allocator(const CallersAllocator& allocator) { callers_allocator = allocator; }

std::shared_ptr<DeviceMemory> callers_memory(int device) {
  if (!callers_allocator.allocate) fail(ErrorKind::usage, "device", "no allocator for GPUs was given");
  return std::make_shared<CallersMemory>(device);
}

void free_callers_memory(void* memory) noexcept {
  if (memory) callers_allocator.deallocate(memory);
}

}  // namespace beatscan::operators
