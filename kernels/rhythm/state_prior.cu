#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/rhythm/chunks.cuh"
#include "kernels/runtime/buffer.h"

namespace beatscan {
namespace {

struct DecoderView {
  double prior[kStates], training_prior[kStates];
  double temperature, balance, stay, prior_beats;
  int states;
};

// One thread for a beat: the likelihoods of its states by log_p, over that of the likeliest one.
__global__ void likelihoods_kernel(const StateValues* log_p, std::int64_t beats, float temperature,
                                   StateValues* likelihood) {
  const std::int64_t i = global_thread();
  if (i >= beats) return;
  const auto* from = reinterpret_cast<const float4*>(log_p + i);
  auto* to = reinterpret_cast<float4*>(likelihood + i);
  float4 row[kStates / 4];
  float most = -INFINITY;
#pragma unroll
  for (int k = 0; k < kStates / 4; ++k) {
    row[k] = from[k];
    most = fmaxf(most, fmaxf(fmaxf(row[k].x, row[k].y), fmaxf(row[k].z, row[k].w)));
  }
  const auto power = [&](float value) { return expf(temperature * (value - most)); };
#pragma unroll
  for (int k = 0; k < kStates / 4; ++k)
    to[k] = make_float4(power(row[k].x), power(row[k].y), power(row[k].z), power(row[k].w));
}

// Computes a chain from a prior, one thread for each state. Returns the thread's part of the prior.
__device__ void make_chain(const DecoderView& decoder, double prior, int s, DeviceChain* chain) {
  __shared__ double offsets[kStates];
  const bool exists = s < decoder.states;
  const double offset = exists ? (1 - decoder.balance) * log(prior) - log(decoder.training_prior[s]) : 0;
  offsets[s] = exists ? offset : -INFINITY;
  __syncwarp(0xffff);
  double most = offsets[0];
  for (int other = 1; other < kStates; ++other) most = fmax(most, offsets[other]);
  const double anew = (1 - decoder.stay) * prior, likelihood = exists ? exp(decoder.temperature * (offset - most)) : 0;
  chain->prior[s] = prior;
  chain->offset[s] = offset;
  chain->stays[s] = static_cast<float>(decoder.stay * likelihood);
  chain->drawn[s] = static_cast<float>(anew * likelihood);
  chain->change[s] = exists ? log(anew) : -INFINITY;
  chain->goes_on[s] = exists ? log(decoder.stay + anew) : 0;
}

// One block adds up the posteriors of the chunks in a fixed order and estimates the prior; without posteriors it is
// that of the decoder. It writes the chain that follows.
__global__ void estimate_prior_kernel(DecoderView decoder, const double* sums, std::int64_t chunks,
                                      DeviceChain* chain) {
  static_assert(kBlock == kStates * kStates);
  __shared__ double parts[kStates][kStates], estimates[kStates];
  const int s = static_cast<int>(threadIdx.x) % kStates, part = static_cast<int>(threadIdx.x) / kStates;
  double sum = 0;
  if (sums)
    for (std::int64_t c = part; c < chunks; c += kStates) sum += sums[c * kStates + s];
  parts[part][s] = sum;
  __syncthreads();
  if (part > 0) return;
  double prior = decoder.prior[s];
  if (sums) {
    double all = 0;
    for (int p = 0; p < kStates; ++p) all += parts[p][s];
    estimates[s] = s < decoder.states ? decoder.prior_beats * prior + all : 0;
    __syncwarp(0xffff);
    double total = 0;
    for (int other = 0; other < kStates; ++other) total += estimates[other];
    prior = estimates[s] / total;
  }
  make_chain(decoder, prior, s, chain);
}

__device__ float tree_sum(const float (&row)[kStates]) {
  float sums[kStates / 2];
#pragma unroll
  for (int s = 0; s < kStates / 2; ++s) sums[s] = row[s] + row[s + kStates / 2];
#pragma unroll
  for (int half = kStates / 4; half > 0; half /= 2)
#pragma unroll
    for (int s = 0; s < half; ++s) sums[s] += sums[s + half];
  return sums[0];
}

// matrices[c][r][s]: what the beats of chunk c make of the probability of state r before them, but for a factor of the
// matrix. Each thread computes a row. A row that gets small is scaled up by a power of two, which is counted.
__global__ void matrices_kernel(Chunks chunks, const DeviceChain* chain, const StateValues* likelihood,
                                float* matrices) {
  constexpr float kSmall = 1e-12f;
  __shared__ float shared[kChunksOfBlock][kStates][kStates];
  const ChunkThread own;
  if (own.chunk >= chunks.count) return;
  float row[kStates], stays[kStates], drawn[kStates];
#pragma unroll
  for (int s = 0; s < kStates; ++s) row[s] = s == own.state, stays[s] = chain->stays[s], drawn[s] = chain->drawn[s];
  int exponent = 0;
  RowsAhead<float> rows(likelihood, chunks.begin(own.chunk), chunks.end(own.chunk), own, shared[threadIdx.x / kStates]);
  while (const int ready = rows.advance([](float value, int) { return value; })) {
    for (int i = 0; i < ready; ++i) {
      const float* its = shared[threadIdx.x / kStates][i];
      float sum = tree_sum(row);
      if (sum < kSmall && sum > 0) {
        const int up = -ilogbf(sum);
        exponent -= up;
        sum = ldexpf(sum, up);
#pragma unroll
        for (int s = 0; s < kStates; ++s) row[s] = ldexpf(row[s], up);
      }
#pragma unroll
      for (int s = 0; s < kStates; ++s) row[s] = fmaf(stays[s], row[s], drawn[s] * sum) * its[s];
    }
  }
  int most = exponent;
#pragma unroll
  for (int half = kStates / 2; half > 0; half /= 2) most = max(most, __shfl_xor_sync(own.mates, most, half));
  float* to = matrices + (own.chunk * kStates + own.state) * kStates;
#pragma unroll
  for (int s = 0; s < kStates; ++s) to[s] = ldexpf(row[s], exponent - most);
}

// Scales the values of a warp up until one is not small.
__device__ float scaled_up(float value) {
  constexpr float kSmall = 0x1p-32f, kUp = 0x1p32f;
  for (int tries = 0; tries < 4 && !__any_sync(kWarp, value > kSmall); ++tries) value *= kUp;
  return value;
}

// Goes from chunk to chunk. A warp goes forward: before[c][s] is the probability of state s before chunk c. Another one
// goes back: after[c][s] is the weight of state s in the last beat of chunk c given the beats after it. Both but for a
// factor. Half a warp adds up over half of the states, and the next matrix is read ahead.
__global__ void chunk_starts_kernel(Chunks chunks, const DeviceChain* chain, const float* matrices, float* before,
                                    float* after) {
  constexpr int kHalf = kStates / 2;
  __shared__ float shared[2][kStates];
  const bool back = threadIdx.x >= 32;
  const int lane = static_cast<int>(threadIdx.x % 32), s = lane % kStates, from = lane / kStates * kHalf;
  float* const found = back ? after : before;
  float value = back ? 1 : static_cast<float>(chain->prior[s]), next[kHalf];
  const auto read = [&](std::int64_t c) {
    const float* matrix = matrices + c * kStates * kStates;
#pragma unroll
    for (int k = 0; k < kHalf; ++k) next[k] = back ? matrix[s * kStates + from + k] : matrix[(from + k) * kStates + s];
  };
  const auto chunk_at = [&](std::int64_t step) { return back ? chunks.count - 1 - step : step; };
  read(chunk_at(0));
  for (std::int64_t step = 0; step < chunks.count; ++step) {
    if (lane < kStates) {
      found[chunk_at(step) * kStates + s] = value;
      shared[back][s] = value;
    }
    __syncwarp();
    float held[kHalf], even = 0, odd = 0;
#pragma unroll
    for (int k = 0; k < kHalf; ++k) held[k] = next[k];
    if (step + 1 < chunks.count) read(chunk_at(step + 1));
#pragma unroll
    for (int k = 0; k < kHalf; k += 2) {
      even = fmaf(held[k], shared[back][from + k], even);
      odd = fmaf(held[k + 1], shared[back][from + k + 1], odd);
    }
    value = even + odd;
    value = scaled_up(value + __shfl_xor_sync(kWarp, value, kStates));
    __syncwarp();
  }
}

// sums[c][s]: the posteriors of state s at the beats of chunk c. A thread follows a state, forward and back.
//   passed  [K] memory for the pass forward
__global__ void posterior_sums_kernel(Chunks chunks, const DeviceChain* chain,
                                      const StateValues* __restrict__ likelihood, const float* before,
                                      const float* after, StateValues* __restrict__ passed, double* sums) {
  const ChunkThread own;
  if (own.chunk >= chunks.count) return;
  const float stays = chain->stays[own.state], drawn = chain->drawn[own.state];
  const std::int64_t begin = chunks.begin(own.chunk), end = chunks.end(own.chunk);
  const float* __restrict__ its = reinterpret_cast<const float*>(likelihood) + own.state;
  float* __restrict__ row = reinterpret_cast<float*>(passed) + own.state;
  float value = before[own.chunk * kStates + own.state];
#pragma unroll 4
  for (std::int64_t i = begin; i < end; ++i) {
    value = fmaf(stays, value * __frcp_rn(own.sum(value)), drawn) * its[i * kStates];
    row[i * kStates] = value;
  }
  double sum = 0;
  value = after[own.chunk * kStates + own.state];
#pragma unroll 4
  for (std::int64_t i = end; i-- > begin;) {
    const float both = row[i * kStates] * value, weighted = value * its[i * kStates];
    const float all = own.sum(both), anew = own.sum(drawn * weighted);
    sum += static_cast<double>(both / all);
    value = fmaf(stays * weighted, __frcp_rn(anew), 1.0f);
  }
  sums[own.chunk * kStates + own.state] = sum;
}

DecoderView view_of(const StateDecoder& decoder) {
  DecoderView view{};
  std::ranges::copy(decoder.prior, view.prior);
  std::ranges::copy(decoder.training_prior, view.training_prior);
  view.temperature = decoder.temperature;
  view.balance = decoder.balance;
  view.stay = decoder.stay;
  view.prior_beats = decoder.prior_beats;
  view.states = static_cast<int>(decoder.prior.size());
  return view;
}

}  // namespace

void estimate_in_rounds(Cuda& cuda, const Chunks& chunks, std::span<const StateValues> log_p,
                        const StateDecoder& decoder, DeviceChain* chain) {
  const DecoderView view = view_of(decoder);
  launch(cuda, {1}, estimate_prior_kernel, view, nullptr, chunks.count, chain);
  if (decoder.rounds == 0) return;
  Buffer<StateValues, Cuda> likelihood(cuda, chunks.beats), passed(cuda, chunks.beats);
  Buffer<float, Cuda> matrices(cuda, chunks.count * kStates * kStates), before(cuda, chunks.count * kStates),
      after(cuda, chunks.count * kStates);
  Buffer<double, Cuda> sums(cuda, chunks.count * kStates);
  launch(cuda, {blocks_for(chunks.beats)}, likelihoods_kernel, log_p.data(), chunks.beats,
         static_cast<float>(decoder.temperature), likelihood.data());
  for (int round = 0; round < decoder.rounds; ++round) {
    launch(cuda, grid_of(chunks), matrices_kernel, chunks, chain, likelihood.data(), matrices.data());
    launch(cuda, {1, 64}, chunk_starts_kernel, chunks, chain, matrices.data(), before.data(), after.data());
    launch(cuda, grid_of(chunks), posterior_sums_kernel, chunks, chain, likelihood.data(), before.data(), after.data(),
           passed.data(), sums.data());
    launch(cuda, {1}, estimate_prior_kernel, view, sums.data(), chunks.count, chain);
  }
}

}  // namespace beatscan
