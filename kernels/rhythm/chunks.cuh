// kernels/rhythm/chunks.cuh — beats are cut into chunks, to follow the states of a chain side by side.
//
// What a chunk does to the probabilities of its states is linear, so the chunks' matrices are computed side by side, 16
// threads for a chunk. One block then goes from chunk to chunk, and the beats of all chunks follow side by side. The
// most probable sequence is found alike: its steps are linear in max and +.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/rhythm/decode_states.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {

inline constexpr int kStates = kMostStates, kChunksOfBlock = 8, kDecodeThreads = kStates * kChunksOfBlock;
inline constexpr std::int64_t kShortestChunk = 16, kMostChunks = 2048;
inline constexpr unsigned kWarp = ~0u;

struct Chunks {
  std::int64_t beats, length, count;

  // A beat costs about three times as much in its chunk as a chunk does where chunks follow one another.
  explicit Chunks(std::int64_t of_beats) : beats(of_beats) {
    const auto best = static_cast<std::int64_t>(0.6 * std::sqrt(static_cast<double>(beats)));
    length = std::max({kShortestChunk, best, (beats + kMostChunks - 1) / kMostChunks});
    count = (beats + length - 1) / length;
  }
  __host__ __device__ std::int64_t begin(std::int64_t chunk) const { return chunk * length; }
  __host__ __device__ std::int64_t end(std::int64_t chunk) const {
    return (chunk + 1) * length < beats ? (chunk + 1) * length : beats;
  }
};

// A StickyChain on the device, which computes it from the prior.
struct DeviceChain {
  double prior[kStates];
  double offset[kStates], change[kStates], goes_on[kStates];
  float stays[kStates], drawn[kStates];
};

// A thread's place: which chunk, and which state or row of the chunk's matrix.
struct ChunkThread {
  std::int64_t chunk;
  int state;       // 0 .. 15
  unsigned mates;  // the threads of the chunk in their warp

  __device__ ChunkThread()
      : chunk(static_cast<std::int64_t>(blockIdx.x) * kChunksOfBlock + threadIdx.x / kStates),
        state(static_cast<int>(threadIdx.x % kStates)),
        mates(0xffffu << (threadIdx.x % 32 / kStates * kStates)) {}
  __device__ float sum(float value) const {
#pragma unroll
    for (int half = kStates / 2; half > 0; half /= 2) value += __shfl_xor_sync(mates, value, half);
    return value;
  }
  __device__ double most(double value) const {
#pragma unroll
    for (int half = kStates / 2; half > 0; half /= 2) value = fmax(value, __shfl_xor_sync(mates, value, half));
    return value;
  }
  // Returns the first state whose value is the greatest, which is `most`.
  __device__ int place_of(double most, double value) const {
    const unsigned found = __ballot_sync(mates, value == most) & mates;
    return (__ffs(static_cast<int>(found)) - 1) % kStates;
  }
};

// Reads rows of kStates values one batch ahead of their use. Each thread of a chunk reads a row, and all of them then
// read each row from shared memory.
template <class Value>
class RowsAhead {
 public:
  static constexpr int kRows = kStates;
  __device__ RowsAhead(const StateValues* rows, std::int64_t begin, std::int64_t end, const ChunkThread& own,
                       Value (&shared)[kRows][kStates])
      : rows_(rows), next_(begin), end_(end), own_(own), shared_(shared) {
    read();
  }
  // Makes the next batch ready, and returns how many rows it has; 0 behind the last.
  template <class Convert>
  __device__ int advance(const Convert& convert) {
    const int ready = static_cast<int>(min(static_cast<std::int64_t>(kRows), end_ - next_));
    if (ready <= 0) return 0;
    __syncwarp(own_.mates);
#pragma unroll
    for (int k = 0; k < kStates / 4; ++k) {
      Value* to = shared_[own_.state] + 4 * k;
      to[0] = convert(held_[k].x, 4 * k);
      to[1] = convert(held_[k].y, 4 * k + 1);
      to[2] = convert(held_[k].z, 4 * k + 2);
      to[3] = convert(held_[k].w, 4 * k + 3);
    }
    __syncwarp(own_.mates);
    next_ += kRows;
    read();
    return ready;
  }

 private:
  __device__ void read() {
    const std::int64_t at = next_ + own_.state;
    if (at >= end_) return;
    const auto* from = reinterpret_cast<const float4*>(rows_ + at);
#pragma unroll
    for (int k = 0; k < kStates / 4; ++k) held_[k] = from[k];
  }

  const StateValues* rows_;
  std::int64_t next_, end_;
  const ChunkThread& own_;
  Value (&shared_)[kRows][kStates];
  float4 held_[kStates / 4] = {};
};

inline Grid grid_of(const Chunks& chunks) { return {blocks_for(chunks.count, kChunksOfBlock), kDecodeThreads}; }

// Estimates the prior in some rounds, and writes the chain of the last estimate.
void estimate_in_rounds(Cuda& cuda, const Chunks& chunks, std::span<const StateValues> log_p,
                        const StateDecoder& decoder, DeviceChain* chain);

}  // namespace beatscan
