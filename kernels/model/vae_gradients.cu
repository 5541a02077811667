#include <cooperative_groups.h>

#include "kernels/model/vae_beat.cuh"

namespace beatscan::vae {
namespace {

constexpr int kClusterWarps = 8;  // of each block of a cluster

// Each warp of a block has memory of its own. A block has 8 warps in the 227 KB of an H100, H200 or B200, 6 in the 163
// KB of an A100, and 3 in the 99 KB of most others.
template <int Warps>
struct GradientMemory {
  Weights weights;
  WarpMemory warps[Warps];
};

// Writes the block's sums over its warps, in order, and the gradient of alpha (see vae_layout.h).
template <int Warps>
__device__ void write_part(const GradientMemory<Warps>& memory, float* part) {
  __shared__ float alpha_shares[Warps];
  float share = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kSums; i += Warps * 32) {
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < Warps; ++warp) sum += memory.warps[warp].sums[i];
    if (i != kAlpha) part[i] = sum;
    if (i < kAlpha) share = fmaf(alpha_share(i) * memory.weights.at[i], sum, share);
  }
  share = sum_over_lanes(share);
  if (lane_id() == 0) alpha_shares[threadIdx.x / 32] = share;
  __syncthreads();
  if (threadIdx.x == 0) {
    share = 0;
    for (int warp = 0; warp < Warps; ++warp) share += alpha_shares[warp];
    part[kAlpha] = share / alpha_divisor(memory.weights.at[kAlpha]);
  }
}

// One warp works on one beat at a time. A multiprocessor has one block, whose memory fills it.
template <int Warps>
__global__ void __launch_bounds__(Warps * 32, 1) vae_gradients_kernel(const DeviceEpoch* epoch, int step) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<GradientMemory<Warps>*>(shared);
  let_next_start();
  // Work that needs no result of the kernel before, which may still run: Adam of the step before.
  const DeviceBatch batch = batch_of(*epoch, step);
  const int parts = parts_of(batch.beats, Warps);
  if (static_cast<int>(blockIdx.x) >= parts) return;
  const int warp = static_cast<int>(threadIdx.x / 32), stride = Warps * parts;
  WarpMemory& own = memory.warps[warp];
  for (int i = lane_id(); i < kPartStride / 4; i += 32) reinterpret_cast<float4*>(own.sums)[i] = float4{};
  std::int64_t i = warp * parts + static_cast<int>(blockIdx.x);
  BeatInput input;
  if (i < batch.beats) input.load(batch, i);
  const float kl_weight = epoch->kl_weight;
  const float* const parameters = epoch->parameters;
  float* const part = epoch->parts + blockIdx.x * kPartStride;

  wait_for_the_one_before();
  memory.weights.template load<Warps * 32>(parameters);
  __syncthreads();
  while (i < batch.beats) {
    Beat(memory.weights, own).run(input, kl_weight);
    __syncwarp();
    i += stride;
    if (i < batch.beats) input.load(batch, i);
  }
  __syncthreads();
  write_part(memory, part);
}

// Returns the sum of a slot over the parts, in the order in which adam_kernel (vae_step.cu) adds as few.
[[maybe_unused]] __device__ float sum_of_few_parts(const float* part, int count) {  // unused in code without clusters
  float sums[kClusterBlocks];
#pragma unroll
  for (int i = 0; i < kClusterBlocks; ++i) sums[i] = i < count ? __ldcg(part + i * kPartStride) : 0;
#pragma unroll
  for (int half = kClusterBlocks / 2; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
  return sums[0];
}

// Does all steps of an epoch. A cluster of blocks, each of which fills a multiprocessor, works on one beat a warp; then
// each thread changes one parameter, whose moments it keeps.
template <int Warps>
__global__ void __launch_bounds__(Warps * 32, 1) train_epoch_kernel(const DeviceEpoch* place, int steps) {
#if __CUDA_ARCH__ >= 900
  static_assert(kClusterBlocks * Warps * 32 >= kSums);
  extern __shared__ __align__(16) unsigned char shared[];
  auto& memory = *reinterpret_cast<GradientMemory<Warps>*>(shared);
  const auto cluster = cooperative_groups::this_cluster();
  const DeviceEpoch& epoch = *place;
  const int block = static_cast<int>(blockIdx.x), warp = static_cast<int>(threadIdx.x / 32);
  WarpMemory& own = memory.warps[warp];
  float* const parameters = epoch.parameters;
  float* const parts = epoch.parts;
  const float kl_weight = epoch.kl_weight;
  const int slot = block * Warps * 32 + static_cast<int>(threadIdx.x);
  const bool has_parameter = slot < kParameters;
  float value = 0, mean = 0, square = 0;
  if (has_parameter) value = parameters[slot], mean = epoch.mean[slot], square = epoch.square[slot];
  double loss = 0;
  for (int step = 0; step < steps; ++step) {
    const DeviceBatch batch = batch_of(epoch, step);
    const int count = parts_of(batch.beats, Warps);
    if (block < count) {
      const std::int64_t i = warp * count + block;
      BeatInput input;
      if (i < batch.beats) input.load(batch, i);
      for (int k = lane_id(); k < kPartStride / 4; k += 32) reinterpret_cast<float4*>(own.sums)[k] = float4{};
      memory.weights.template load<Warps * 32>(parameters);
      __syncthreads();
      if (i < batch.beats) Beat(memory.weights, own).run(input, kl_weight);
      __syncthreads();
      write_part(memory, parts + block * kPartStride);
    }
    cluster.sync();  // the parts are complete
    if (slot < kSums) {
      const float gradient = sum_of_few_parts(parts + slot, count);
      if (has_parameter)
        parameters[slot] = value -= adam_change(gradient, epoch.adam_steps[step], mean, square);
      else
        loss += gradient;
    }
    cluster.sync();  // the parameters are complete
  }
  if (has_parameter) epoch.mean[slot] = mean, epoch.square[slot] = square;
  if (slot == kLossSlot) *epoch.loss = loss;
#endif
}

// Returns how a cluster of blocks is launched. It refers to the attribute.
cudaLaunchConfig_t cluster_launch(CUstream_st* stream, std::size_t shared_bytes, cudaLaunchAttribute& attribute) {
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {kClusterBlocks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = kClusterBlocks;
  config.blockDim = kClusterWarps * 32;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return config;
}

// Returns whether the GPU and this code can run train_epoch_kernel, which must not be launched where it cannot.
bool prepare_epochs(const StepLaunch& launch) {
  if (!launch.early || launch.warps != kClusterWarps) return false;
  const auto kernel = train_epoch_kernel<kClusterWarps>;
  constexpr int kBytes = sizeof(GradientMemory<kClusterWarps>);
  BEATSCAN_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  cudaLaunchAttribute attribute{};
  const cudaLaunchConfig_t config = cluster_launch(nullptr, kBytes, attribute);
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess) return clusters > 0;
  cudaGetLastError();  // clears the error
  return false;
}

// Calls use(kernel, its shared bytes) with the kernel for `warps` warps a block.
template <class Use>
void with_kernel_of(int warps, Use&& use) {
  if (warps == 8) return use(vae_gradients_kernel<8>, sizeof(GradientMemory<8>));
  if (warps == 6) return use(vae_gradients_kernel<6>, sizeof(GradientMemory<6>));
  use(vae_gradients_kernel<3>, sizeof(GradientMemory<3>));
}

}  // namespace

StepLaunch prepare_gradients(const Cuda& cuda) {
  const std::size_t most = shared_bytes_of_a_block(cuda);
  StepLaunch launch{.warps = most >= sizeof(GradientMemory<8>)   ? 8
                             : most >= sizeof(GradientMemory<6>) ? 6
                                                                 : 3,
                    .early = false,
                    .whole_epochs = false};
  with_kernel_of(launch.warps, [&](auto kernel, std::size_t bytes) {
    BEATSCAN_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    cudaFuncAttributes attributes{};
    BEATSCAN_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    launch.early = attributes.ptxVersion >= 90;  // the code's, not the GPU's: an H100 may run the code for 8.0
  });
  launch.whole_epochs = prepare_epochs(launch);
  return launch;
}

void launch_epoch(CUstream_st* stream, const DeviceEpoch* epoch, int steps) {
  cudaLaunchAttribute attribute{};
  const cudaLaunchConfig_t config = cluster_launch(stream, sizeof(GradientMemory<kClusterWarps>), attribute);
  BEATSCAN_CUDA_CHECK(cudaLaunchKernelEx(&config, train_epoch_kernel<kClusterWarps>, epoch, steps));
}

void launch_gradients(CUstream_st* stream, const StepLaunch& launch, int blocks, const DeviceEpoch* epoch, int step) {
  with_kernel_of(launch.warps, [&](auto kernel, std::size_t bytes) {
    launch_early(stream, launch.early, blocks, launch.warps * 32, bytes, kernel, epoch, step);
  });
}

}  // namespace beatscan::vae
