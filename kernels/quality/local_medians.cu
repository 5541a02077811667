#include "kernels/quality/local_medians.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan::quality {
namespace {

// A block of threads finds one median: each thread counts how many values precede one of them.
__global__ void local_medians_kernel(const SampleFacts* samples, const BandFacts* bands, std::int64_t blocks,
                                     LocalMedians* medians) {
  __shared__ float near[kNearBlocks], middle[2];
  __shared__ int known;
  const std::int64_t first = first_near(blockIdx.x, blocks);
  const int count = static_cast<int>(blocks - first < kNearBlocks ? blocks - first : kNearBlocks);
  const int field = static_cast<int>(blockIdx.y);
  if (threadIdx.x == 0) known = 0;
  if (threadIdx.x < 2) middle[threadIdx.x] = 0;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    near[i] = field_of(samples[first + i], bands[first + i], field);
    if (!isnan(near[i])) atomicAdd(&known, 1);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    if (isnan(near[i])) continue;
    int before = 0;
    for (int k = 0; k < count; ++k) before += near[k] < near[i] || (near[k] == near[i] && k < i);
    if (before == (known - 1) / 2) middle[0] = near[i];
    if (before == known / 2) middle[1] = near[i];
  }
  __syncthreads();
  if (threadIdx.x == 0) (&medians[blockIdx.x].step)[field] = (middle[0] + middle[1]) * 0.5f;
}

}  // namespace

void local_medians(Cuda& cuda, std::span<const SampleFacts> samples, std::span<const BandFacts> bands,
                   std::span<LocalMedians> medians) {
  const auto blocks = static_cast<std::int64_t>(samples.size());
  BEATSCAN_EXPECTS(samples.size() == bands.size() && static_cast<std::int64_t>(medians.size()) == median_groups(blocks),
                   "local_medians: bad shape");
  if (medians.empty()) return;
  launch(cuda, {dim3(static_cast<unsigned>(medians.size()), kMedianFields)}, local_medians_kernel, samples.data(),
         bands.data(), blocks, medians.data());
}

}  // namespace beatscan::quality
