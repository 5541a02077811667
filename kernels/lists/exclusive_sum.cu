#include "kernels/lists/exclusive_sum.h"

#include <cub/device/device_scan.cuh>

#include "kernels/runtime/launch.cuh"

namespace beatscan {

void exclusive_sum(Cuda& cuda, std::span<std::uint32_t> counts) {
  with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts.data(), counts.data(), std::ssize(counts),
                                         cuda.stream());
  });
}

}  // namespace beatscan
