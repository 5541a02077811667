#include "kernels/rhythm/decode_states.h"

#include <cmath>
#include <cstdint>

#include "kernels/rhythm/chunks.cuh"
#include "kernels/runtime/buffer.h"

namespace beatscan {
namespace {

// In max and +: scores[c][r][s] is the score of the best way from state r before chunk c to state s
// in its last beat.
__global__ void score_matrices_kernel(Chunks chunks, const DeviceChain* chain, double temperature,
                                      const StateValues* log_p, double* scores) {
  __shared__ double shared[kChunksOfBlock][kStates][kStates];
  const ChunkThread own;
  if (own.chunk >= chunks.count) return;
  double row[kStates], change[kStates], goes_on[kStates];
#pragma unroll
  for (int s = 0; s < kStates; ++s)
    row[s] = s == own.state ? 0 : -INFINITY, change[s] = chain->change[s], goes_on[s] = chain->goes_on[s];
  RowsAhead<double> rows(log_p, chunks.begin(own.chunk), chunks.end(own.chunk), own, shared[threadIdx.x / kStates]);
  const auto emission = [&](float value, int s) { return temperature * (value + chain->offset[s]); };
  while (const int ready = rows.advance(emission)) {
    for (int i = 0; i < ready; ++i) {
      const double* its = shared[threadIdx.x / kStates][i];
      double most = row[0];
#pragma unroll
      for (int s = 1; s < kStates; ++s) most = fmax(most, row[s]);
#pragma unroll
      for (int s = 0; s < kStates; ++s) row[s] = fmax(row[s] + goes_on[s], most + change[s]) + its[s];
    }
  }
  double* to = scores + (own.chunk * kStates + own.state) * kStates;
#pragma unroll
  for (int s = 0; s < kStates; ++s) to[s] = row[s];
}

// One warp goes from chunk to chunk: before[c][s] is the score of state s before chunk c. The score before the first
// beat is such that the beat's own is log prior and its emission.
__global__ void score_starts_kernel(Chunks chunks, const DeviceChain* chain, const double* scores, double* before) {
  constexpr int kHalf = kStates / 2;
  __shared__ double shared[kStates];
  const int lane = static_cast<int>(threadIdx.x), s = lane % kStates, from = lane / kStates * kHalf;
  double value = log(chain->prior[s]) - chain->goes_on[s], next[kHalf];
  const auto read = [&](std::int64_t c) {
#pragma unroll
    for (int k = 0; k < kHalf; ++k) next[k] = scores[(c * kStates + from + k) * kStates + s];
  };
  read(0);
  for (std::int64_t c = 0; c < chunks.count; ++c) {
    if (lane < kStates) {
      before[c * kStates + s] = value;
      shared[s] = value;
    }
    __syncwarp();
    double held[kHalf];
#pragma unroll
    for (int k = 0; k < kHalf; ++k) held[k] = next[k];
    if (c + 1 < chunks.count) read(c + 1);
    value = -INFINITY;
#pragma unroll
    for (int k = 0; k < kHalf; ++k) value = fmax(value, held[k] + shared[from + k]);
    value = fmax(value, __shfl_xor_sync(kWarp, value, kStates));
    __syncwarp();
  }
}

// Follows the scores through the beats of the chunks: came[i][s] is the state before beat i on the best way to s. Then
// each thread goes back from its own state in the chunk's last beat: ways[i][s] is the state at beat i of the best way
// that ends there, and ends[c][s] the state before the chunk. The last chunk also writes the best last state.
__global__ void ways_kernel(Chunks chunks, const DeviceChain* chain, double temperature,
                            const StateValues* __restrict__ log_p, const double* before,
                            std::uint8_t* __restrict__ came, std::uint8_t* __restrict__ ways, std::uint8_t* ends,
                            std::uint8_t* last) {
  const ChunkThread own;
  if (own.chunk >= chunks.count) return;
  const int s = own.state;
  const double change = chain->change[s], goes_on = chain->goes_on[s], offset = chain->offset[s];
  const std::int64_t begin = chunks.begin(own.chunk), end = chunks.end(own.chunk);
  const float* __restrict__ its = reinterpret_cast<const float*>(log_p) + s;
  double score = before[own.chunk * kStates + s];
#pragma unroll 4
  for (std::int64_t i = begin; i < end; ++i) {
    const double most = own.most(score), drawn = most + change, same = score + goes_on;
    const int best = own.place_of(most, score);
    came[i * kStates + s] = static_cast<std::uint8_t>(same >= drawn ? s : best);
    score = (same >= drawn ? same : drawn) + temperature * (its[i * kStates] + offset);
  }
  if (own.chunk + 1 == chunks.count) {
    const int best = own.place_of(own.most(score), score);
    if (s == 0) *last = static_cast<std::uint8_t>(best);
  }
  __syncwarp(own.mates);
  int state = s;
  for (std::int64_t i = end; i-- > begin;) {
    ways[i * kStates + s] = static_cast<std::uint8_t>(state);
    state = came[i * kStates + state];
  }
  ends[own.chunk * kStates + s] = static_cast<std::uint8_t>(state);
}

// A block writes the path of its beats. Its first thread goes back from the last chunk to that of the block's first
// beat, by the states before the chunks.
__global__ void path_kernel(Chunks chunks, const StateValues* log_p, const std::uint8_t* ways, const std::uint8_t* ends,
                            const std::uint8_t* last, std::uint8_t* path, double* probability) {
  extern __shared__ std::uint8_t shared[];  // [count][kStates] ends, and behind them the last state of each chunk
  std::uint8_t* const last_states = shared + chunks.count * kStates;
  for (std::int64_t k = threadIdx.x; k < chunks.count * kStates; k += blockDim.x) shared[k] = ends[k];
  __syncthreads();
  if (threadIdx.x == 0) {
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x / chunks.length;
    std::uint8_t state = *last;
    for (std::int64_t c = chunks.count - 1; c >= first; --c) {
      last_states[c] = state;
      state = shared[c * kStates + state];
    }
  }
  __syncthreads();
  const std::int64_t i = global_thread();
  if (i >= chunks.beats) return;
  const std::uint8_t state = ways[i * kStates + last_states[i / chunks.length]];
  path[i] = state;
  probability[i] = exp(static_cast<double>(reinterpret_cast<const float*>(log_p + i)[state]));
}

}  // namespace

DecodedStates decode_states(Cuda& cuda, std::span<const StateValues> log_p, const StateDecoder& decoder) {
  check_decoder(decoder);
  if (log_p.empty()) return {decoder.prior, {}, {}};
  const Chunks chunks(static_cast<std::int64_t>(log_p.size()));
  Buffer<DeviceChain, Cuda> chain(cuda, 1);
  estimate_in_rounds(cuda, chunks, log_p, decoder, chain.data());
  Buffer<double, Cuda> scores(cuda, chunks.count * kStates * kStates), before(cuda, chunks.count * kStates),
      probability(cuda, chunks.beats);
  Buffer<std::uint8_t, Cuda> came(cuda, chunks.beats * kStates), ways(cuda, chunks.beats * kStates),
      ends(cuda, chunks.count * kStates), last(cuda, 1), path(cuda, chunks.beats);
  launch(cuda, grid_of(chunks), score_matrices_kernel, chunks, chain.data(), decoder.temperature, log_p.data(),
         scores.data());
  launch(cuda, {1, 32}, score_starts_kernel, chunks, chain.data(), scores.data(), before.data());
  launch(cuda, grid_of(chunks), ways_kernel, chunks, chain.data(), decoder.temperature, log_p.data(), before.data(),
         came.data(), ways.data(), ends.data(), last.data());
  launch(cuda, {blocks_for(chunks.beats), kBlock, static_cast<std::size_t>(chunks.count * (kStates + 1))}, path_kernel,
         chunks, log_p.data(), ways.data(), ends.data(), last.data(), path.data(), probability.data());
  auto [host_chain, host_path, host_probability] = to_hosts(cuda, chain, path, probability);
  DecodedStates decoded{{}, {host_path.begin(), host_path.end()}, std::move(host_probability)};
  decoded.prior.assign(host_chain.front().prior, host_chain.front().prior + decoder.prior.size());
  return decoded;
}

}  // namespace beatscan
