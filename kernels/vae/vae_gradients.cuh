// kernels/vae/vae_gradients.cuh — a batch's gradient on the GPU, as the sum of the parts that its blocks write.
#pragma once

#include "kernels/runtime/launch.cuh"
#include "kernels/vae/vae_layout.h"

namespace beatscan::vae {

// Blocks of a gradient launch; one for each multiprocessor of the largest GPUs, and fixed: the sums' order hangs on it.
inline constexpr int kMaxParts = 128;
inline constexpr int kPartStride = (kSums + 31) / 32 * 32;  // floats from one part to the next

struct DeviceBatch {
  const float* rows;
  const std::int32_t* indices;  // [beats]
  const float* eps;             // [beats][kLatents]
  std::int64_t beats;
};

int parts_of(std::int64_t beats);

// Launches a kernel that may start while the one before it on the stream still runs, from when that one calls
// cudaTriggerProgrammaticLaunchCompletion. It has to call cudaGridDependencySynchronize before it reads what that one
// writes (past the first-level cache, __ldcg: that may be older), or writes what that one reads.
template <class... Parameters, class... Arguments>
void launch_early(CUstream_st* stream, int blocks, int threads, std::size_t shared_bytes, void (*kernel)(Parameters...),
                  const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  BEATSCAN_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

// Once in a process before the first launch (not while a graph is captured): allows the kernel its shared memory.
void prepare_gradients();

// parts [parts_of(beats)][kPartStride]: gradients of parameters, then the loss. The batch must not be what the kernel
// before on the stream writes (this one starts early); `parameters` may be.
void launch_gradients(CUstream_st* stream, const DeviceBatch& batch, const float* parameters, float kl_weight,
                      float* parts);

}  // namespace beatscan::vae
