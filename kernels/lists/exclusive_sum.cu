#include "kernels/lists/exclusive_sum.h"

#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "kernels/runtime/launch.cuh"

namespace beatscan {
namespace {

constexpr int kSumThreads = 1024, kOfAThread = 8;
constexpr std::int64_t kShort = 8 * kSumThreads * kOfAThread;  // the most counts that one block sums

// One block works on all counts, a part at a time.
__global__ void __launch_bounds__(kSumThreads) short_sum_kernel(std::uint32_t* counts, int size) {
  using Scan = cub::BlockScan<std::uint32_t, kSumThreads>;
  __shared__ Scan::TempStorage scratch;
  std::uint32_t before = 0;
  for (int part = 0; part < size; part += kSumThreads * kOfAThread) {
    const int first = part + static_cast<int>(threadIdx.x) * kOfAThread;
    std::uint32_t own[kOfAThread], sum;
    for (int k = 0; k < kOfAThread; ++k) own[k] = first + k < size ? counts[first + k] : 0;
    Scan(scratch).ExclusiveSum(own, own, sum);
    for (int k = 0; k < kOfAThread; ++k)
      if (first + k < size) counts[first + k] = before + own[k];
    before += sum;
    __syncthreads();  // the next part uses the scratch memory again
  }
}

}  // namespace

// Up to kShort counts are summed by a kernel of our own: CUB launches two, under the runtime's lock (launch.cuh), and
// needs scratch memory.
void exclusive_sum(Cuda& cuda, std::span<std::uint32_t> counts) {
  const auto size = static_cast<std::int64_t>(counts.size());
  if (size <= kShort) return launch(cuda, {1, kSumThreads}, short_sum_kernel, counts.data(), static_cast<int>(size));
  with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts.data(), counts.data(), size, cuda.stream());
  });
}

}  // namespace beatscan
