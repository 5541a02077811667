// kernels/runtime/launch.cuh — what every .cu file needs to launch a grid.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"

namespace beatscan {

inline constexpr int kBlock = 256;

// Returns how many blocks of `per_block` items cover n items. It is at least 1: a grid of 0 blocks is a launch error.
inline unsigned blocks_for(std::int64_t n, std::int64_t per_block = kBlock) {
  const std::int64_t blocks = std::max<std::int64_t>((n + per_block - 1) / per_block, 1);
  BEATSCAN_EXPECTS(blocks <= 0x7fffffff, "blocks_for: more blocks than a grid has");
  return static_cast<unsigned>(blocks);
}

__device__ inline std::int64_t global_thread() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

struct Grid {
  dim3 blocks;
  dim3 threads = kBlock;         // of a block
  std::size_t shared_bytes = 0;  // of a block
};

// Queues a kernel on the context's stream. `arguments` points to each argument.
void launch_function(Cuda& cuda, const void* kernel, const Grid& grid, void** arguments);

// Queues a kernel as kernel<<<...>>>(arguments...) does. CUDA's runtime looks a kernel up at each launch, under a lock
// that all threads of the process wait for, whatever their GPU. So the context keeps the functions it has found, and
// the driver launches them.
template <class... Parameters>
void launch(Cuda& cuda, const Grid& grid, void (*kernel)(Parameters...), std::type_identity_t<Parameters>... values) {
  void* arguments[] = {static_cast<void*>(&values)...};
  launch_function(cuda, reinterpret_cast<const void*>(kernel), grid, arguments);
}

// Returns the shared memory that a block may ask for on the context's GPU. The environment variable
// BEATSCAN_SHARED_KB lowers it, to run a program as on a GPU that has less. Values below 99 count as 99, the least that
// the kernels need.
std::size_t shared_bytes_of_a_block(const Cuda& cuda);

struct PersistentGrid {
  std::int64_t items_a_block;  // at a time
  int threads;                 // threads of a block
  std::size_t shared_bytes;    // shared memory of a block; it may be more than a kernel gets without asking
  int blocks_a_multiprocessor;
};

// Launches at most as many blocks as the device runs at once. Each of them works on many of the n items, one after the
// other.
template <class... Parameters>
void launch_persistent(Cuda& cuda, std::int64_t n, const PersistentGrid& grid, void (*kernel)(Parameters...),
                       std::type_identity_t<Parameters>... values) {
  int multiprocessors = 0;
  BEATSCAN_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, cuda.device()));
  const auto blocks = std::min(blocks_for(n, grid.items_a_block),
                               static_cast<unsigned>(multiprocessors * grid.blocks_a_multiprocessor));
  launch(cuda, {blocks, static_cast<unsigned>(grid.threads), grid.shared_bytes}, kernel, values...);
}

// Runs a CUB algorithm: call(scratch, bytes) asks for the size of the scratch memory, and a second call does the work.
// The scratch memory comes from the pool.
template <class Call>
void with_scratch(Cuda& cuda, Call&& call) {
  std::size_t bytes = 0;
  BEATSCAN_CUDA_CHECK(call(nullptr, bytes));
  Buffer<char, Cuda> scratch(cuda, static_cast<std::int64_t>(bytes));
  BEATSCAN_CUDA_CHECK(call(scratch.data(), bytes));
}

// Copies one value from the device and waits for it.
template <class T>
T fetch(Cuda& cuda, const T* device_value) {
  T value;
  copy_bytes(cuda, device_value, &value, sizeof(T));
  cuda.synchronize();
  return value;
}

}  // namespace beatscan
