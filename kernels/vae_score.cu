#include "kernels/launch.cuh"
#include "kernels/vae_forward.cuh"
#include "kernels/vae_gradients.cuh"
#include "kernels/vae_step.h"

namespace beatscan {
namespace {

using namespace vae;

constexpr int kWarps = 8;
constexpr int kBlocksAMultiprocessor = 2;

struct ScoreMemory {
  Weights weights;
  Halves halves[kWarps];
};

// One warp a row at a time, forward only. The batch may lack indices and eps.
__global__ void __launch_bounds__(kWarps * 32, kBlocksAMultiprocessor)
    score_kernel(DeviceBatch batch, const float* __restrict__ parameters, float* __restrict__ error,
                 float* __restrict__ kl, float2* __restrict__ mu) {
  extern __shared__ __align__(16) unsigned char shared[];
  ScoreMemory& memory = *reinterpret_cast<ScoreMemory*>(shared);
  memory.weights.load<kWarps * 32>(parameters);
  __syncthreads();
  for (std::int64_t beat = global_thread() / 32; beat < batch.beats; beat += gridDim.x * kWarps) {
    Points<1, 8> x;
    load_row(batch.rows + (batch.indices ? batch.indices[beat] : beat) * kPoints, x);
    const Latents latents = encode<false>(x, memory.weights.at, memory.halves[threadIdx.x / 32], nullptr).latents;
    float z[kLatents];
#pragma unroll
    for (int j = 0; j < kLatents; ++j)
      z[j] = batch.eps ? fmaf(batch.eps[beat * kLatents + j], __expf(0.5f * latents.logvar[j]), latents.mu[j])
                       : latents.mu[j];
    Decoder decoder;
    decoder.run(z, memory.weights);
    float sum = 0;
#pragma unroll
    for (int t = 0; t < 8; ++t) {
      const float difference = decoder.decoded[t] - x.value[0][t];
      sum = fmaf(difference, difference, sum);
    }
    sum = sum_over_lanes(sum);
    if (lane_id() == 0) {
      error[beat] = sum * (1.0f / kPoints);
      kl[beat] = divergence(latents);
      mu[beat] = make_float2(latents.mu[0], latents.mu[1]);
    }
  }
}

}  // namespace

void vae_score(Cuda& cuda, const VaeBatch& batch, std::span<const float> parameters, const VaeScores& scores) {
  const std::int64_t beats = checked_beats(batch, parameters, scores);
  const DeviceBatch device_batch{batch.rows.data(), batch.indices.empty() ? nullptr : batch.indices.data(),
                                 batch.eps.empty() ? nullptr : batch.eps.data(), beats};
  int multiprocessors = 0;
  BEATSCAN_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, cuda.device()));
  BEATSCAN_CUDA_CHECK(cudaFuncSetAttribute(score_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(sizeof(ScoreMemory))));
  const unsigned blocks =
      std::min(blocks_for(beats, kWarps), static_cast<unsigned>(multiprocessors * kBlocksAMultiprocessor));
  score_kernel<<<blocks, kWarps * 32, sizeof(ScoreMemory), cuda.stream()>>>(
      device_batch, parameters.data(), scores.error.data(), scores.kl.data(),
      reinterpret_cast<float2*>(scores.latents.data()));
  check_launch();
}

}  // namespace beatscan
