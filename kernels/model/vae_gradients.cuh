// kernels/model/vae_gradients.cuh — a batch's gradient on the GPU, as a sum of parts, of which each block writes one.
#pragma once

#include "kernels/model/adam.h"
#include "kernels/model/vae_layout.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan::vae {

// The most blocks of a gradient launch: about one for each multiprocessor of the largest GPUs. The number is fixed,
// because the order of the sums depends on it.
inline constexpr int kMaxParts = 128;
inline constexpr int kClusterBlocks = 8;                    // of the largest clusters that every GPU with clusters runs
inline constexpr int kPartStride = (kSums + 31) / 32 * 32;  // floats from one part to the next

struct DeviceBatch {
  const float* rows;
  const std::int32_t* indices;  // [beats]
  const float* eps;             // [beats][kLatents]
  std::int64_t beats;
};

// What the kernels of a step work on, in device memory. Kernels that a graph has recorded know its address alone, so
// that one graph serves any training.
struct DeviceEpoch {
  DeviceBatch all;
  // At least 1. Step i takes this many beats, from beat i * batch_beats on; the last step may take fewer.
  std::int64_t batch_beats;
  float kl_weight;
  float* parameters;
  float* parts;                              // [kMaxParts][kPartStride] gradients of the parameters, then the loss
  AdamStep* adam_steps = nullptr;            // [steps]
  float *mean = nullptr, *square = nullptr;  // [kParameters] Adam's moments
  double* loss = nullptr;                    // [1] sum over the beats so far
  std::int64_t steps_done = 0;
};

// Returns the batch of a step, counted from the steps that are done. What changes while kernels run is not read from
// the first-level cache.
__device__ inline DeviceBatch batch_of(const DeviceEpoch& epoch, std::int64_t step) {
  const std::int64_t first = (__ldcg(&epoch.steps_done) + step) * epoch.batch_beats, left = epoch.all.beats - first;
  return {epoch.all.rows, epoch.all.indices + first, epoch.all.eps + first * kLatents,
          left < epoch.batch_beats ? left : epoch.batch_beats};
}

// Returns the number of parts of a batch. Each comes from one block with `warps` warps.
__host__ __device__ inline int parts_of(std::int64_t beats, int warps) {
  const std::int64_t parts = (beats + warps - 1) / warps;
  return static_cast<int>(parts < 1 ? 1 : parts > kMaxParts ? kMaxParts : parts);
}

// How a GPU runs the kernels of a step.
struct StepLaunch {
  int warps;          // beats that a block works on in parallel: as many as its shared memory holds
  bool early;         // whether kernels may start before those in front of them have ended
  bool whole_epochs;  // whether launch_epoch can be used, for batches of up to kClusterBlocks parts
};

// GPUs before compute capability 9.0, and code for them, have no early starts: there both functions do nothing.
// Lets the kernel after this one start.
__device__ inline void let_next_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
// Waits until the kernel in front of this one has ended.
__device__ inline void wait_for_the_one_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// Launches a kernel that may start while the kernel before it on the stream still runs: as soon as the earlier one
// calls let_next_start. Before the later kernel reads what the earlier one writes, or writes what the earlier one
// reads, it must call wait_for_the_one_before. It must read such memory by __ldcg, since the first-level cache may hold
// older values. Where `early` is false the kernel starts when the one before it has ended.
template <class... Parameters, class... Arguments>
void launch_early(CUstream_st* stream, bool early, int blocks, int threads, std::size_t shared_bytes,
                  void (*kernel)(Parameters...), const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  BEATSCAN_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

// Allows the kernel its shared memory and returns how it is launched. It must be called before the first launch, and
// not while a graph is captured. Throws ErrorKind::device if a block has too little memory for three beats, one for
// each warp of the smallest kernel.
StepLaunch prepare_gradients(const Cuda& cuda);

// Computes the parts of the gradient of a step's batch. If the kernel starts early, neither the epoch nor its batch may
// be what the kernel before it on the stream writes; the parameters may be.
//   blocks  parts_of(the batch's beats) at least; the blocks beyond it do nothing
void launch_gradients(CUstream_st* stream, const StepLaunch& launch, int blocks, const DeviceEpoch* epoch, int step);

// Trains for an epoch in one launch. Steps as launches of their own take longer, and thousands of them a second are as
// many as a GPU starts: recordings of a batch waited for each other.
void launch_epoch(CUstream_st* stream, const DeviceEpoch* epoch, int steps);

}  // namespace beatscan::vae
