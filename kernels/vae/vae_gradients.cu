#include "kernels/vae/vae_beat.cuh"

namespace beatscan::vae {
namespace {

constexpr int kWarps = 8;

struct GradientMemory {
  Weights weights;
  WarpMemory warps[kWarps];
};
static_assert(sizeof(GradientMemory) <= 227 * 1024, "more than a block of an H100 or H200 can have");

// Writes the block's sums over its warps, in order, and the gradient of alpha (see vae_layout.h).
__device__ void write_part(const GradientMemory& memory, float* part) {
  __shared__ float alpha_shares[kWarps];
  float share = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kSums; i += kWarps * 32) {
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) sum += memory.warps[warp].sums[i];
    if (i != kAlpha) part[i] = sum;
    if (i < kAlpha) share = fmaf(alpha_share(i) * memory.weights.at[i], sum, share);
  }
  share = sum_over_lanes(share);
  if (lane_id() == 0) alpha_shares[threadIdx.x / 32] = share;
  __syncthreads();
  if (threadIdx.x == 0) {
    share = 0;
    for (int warp = 0; warp < kWarps; ++warp) share += alpha_shares[warp];
    part[kAlpha] = share / alpha_divisor(memory.weights.at[kAlpha]);
  }
}

// One warp works on one beat at a time. A multiprocessor has one block of 8 warps, whose memory fills it.
__global__ void __launch_bounds__(kWarps * 32, 1)
    vae_gradients_kernel(DeviceBatch batch, const float* __restrict__ parameters, float kl_weight,
                         float* __restrict__ parts) {
  extern __shared__ __align__(16) unsigned char shared[];
  GradientMemory& memory = *reinterpret_cast<GradientMemory*>(shared);
  cudaTriggerProgrammaticLaunchCompletion();
  // Work that needs no result of the kernel before, which may still run: Adam of the step before.
  const int warp = static_cast<int>(threadIdx.x / 32), stride = kWarps * static_cast<int>(gridDim.x);
  WarpMemory& own = memory.warps[warp];
  for (int i = lane_id(); i < kPartStride / 4; i += 32) reinterpret_cast<float4*>(own.sums)[i] = float4{};
  std::int64_t i = warp * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x);
  BeatInput input;
  if (i < batch.beats) input.load(batch, i);

  cudaGridDependencySynchronize();
  memory.weights.load<kWarps * 32>(parameters);
  __syncthreads();
  while (i < batch.beats) {
    Beat(memory.weights, own).run(input, kl_weight);
    __syncwarp();
    i += stride;
    if (i < batch.beats) input.load(batch, i);
  }
  __syncthreads();
  write_part(memory, parts + blockIdx.x * kPartStride);
}

}  // namespace

int parts_of(std::int64_t beats) {
  return static_cast<int>(std::clamp<std::int64_t>((beats + kWarps - 1) / kWarps, 1, kMaxParts));
}

void prepare_gradients() {
  BEATSCAN_CUDA_CHECK(cudaFuncSetAttribute(vae_gradients_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(sizeof(GradientMemory))));
}

void launch_gradients(CUstream_st* stream, const DeviceBatch& batch, const float* parameters, float kl_weight,
                      float* parts) {
  launch_early(stream, parts_of(batch.beats), kWarps * 32, sizeof(GradientMemory), vae_gradients_kernel, batch,
               parameters, kl_weight, parts);
}

}  // namespace beatscan::vae
