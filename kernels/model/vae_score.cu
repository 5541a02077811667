#include "kernels/model/vae_forward.cuh"
#include "kernels/model/vae_gradients.cuh"
#include "kernels/model/vae_step.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {
namespace {

using namespace vae;

constexpr int kWarps = 8;
constexpr int kBlocksAMultiprocessor = 2;

struct ScoreMemory {
  Weights weights;
  Halves halves[kWarps];
};

// Returns the mean squared difference between a beat and its decoding, on every lane of the warp.
__device__ float decoding_error(const Decoder& decoder, const Points<1, 8>& x) {
  float sum = 0;
#pragma unroll
  for (int t = 0; t < 8; ++t) {
    const float difference = decoder.decoded[t] - x.value[0][t];
    sum = fmaf(difference, difference, sum);
  }
  return sum_over_lanes(sum) * (1.0f / kPoints);
}

// One warp works on one row at a time, forward only. The batch may lack indices and eps.
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
    const float beat_error = decoding_error(decoder, x);
    if (lane_id() == 0) {
      error[beat] = beat_error;
      kl[beat] = divergence(latents);
      mu[beat] = make_float2(latents.mu[0], latents.mu[1]);
    }
  }
}

// One warp works on one row at a time and decodes given latents.
__global__ void __launch_bounds__(kWarps * 32, kBlocksAMultiprocessor)
    decoded_error_kernel(const float* __restrict__ rows, const float2* __restrict__ latents, std::int64_t beats,
                         const float* __restrict__ parameters, float* __restrict__ error) {
  extern __shared__ __align__(16) unsigned char shared[];
  Weights& weights = *reinterpret_cast<Weights*>(shared);
  weights.load<kWarps * 32>(parameters);
  __syncthreads();
  for (std::int64_t beat = global_thread() / 32; beat < beats; beat += gridDim.x * kWarps) {
    Points<1, 8> x;
    load_row(rows + beat * kPoints, x);
    const float2 own = latents[beat];
    const float z[kLatents] = {own.x, own.y};
    Decoder decoder;
    decoder.run(z, weights);
    const float beat_error = decoding_error(decoder, x);
    if (lane_id() == 0) error[beat] = beat_error;
  }
}

PersistentGrid grid_with(std::size_t shared_bytes) {
  return {kWarps, kWarps * 32, shared_bytes, kBlocksAMultiprocessor};
}

}  // namespace

void vae_decoded_error(Cuda& cuda, std::span<const float> rows, std::span<const float> latents,
                       std::span<const float> parameters, std::span<float> error) {
  const auto beats = static_cast<std::int64_t>(error.size());
  check_decoded_error(static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(latents.size()),
                      static_cast<std::int64_t>(parameters.size()), beats);
  if (beats == 0) return;
  launch_persistent(cuda, beats, grid_with(sizeof(Weights)), decoded_error_kernel, rows.data(),
                    reinterpret_cast<const float2*>(latents.data()), beats, parameters.data(), error.data());
}

void vae_score(Cuda& cuda, const VaeBatch& batch, std::span<const float> parameters, const VaeScores& scores) {
  const std::int64_t beats = checked_beats(batch, parameters, scores);
  const DeviceBatch device_batch{batch.rows.data(), batch.indices.empty() ? nullptr : batch.indices.data(),
                                 batch.eps.empty() ? nullptr : batch.eps.data(), beats};
  launch_persistent(cuda, beats, grid_with(sizeof(ScoreMemory)), score_kernel, device_batch, parameters.data(),
                    scores.error.data(), scores.kl.data(), reinterpret_cast<float2*>(scores.latents.data()));
}

}  // namespace beatscan
