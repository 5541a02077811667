#include "kernels/lists/sorted.h"

#include <cub/device/device_radix_sort.cuh>

#include "kernels/runtime/launch.cuh"

namespace beatscan {

Buffer<float, Cuda> sorted(Cuda& cuda, std::span<const float> values) {
  const std::int64_t count = std::ssize(values);
  Buffer<float, Cuda> result(cuda, count);
  with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, values.data(), result.data(), count, 0, 32, cuda.stream());
  });
  return result;
}

}  // namespace beatscan
