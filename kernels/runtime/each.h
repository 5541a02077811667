// kernels/runtime/each.h — one source for both back ends: calls work(i) for each i of 0 .. n - 1, in parallel.
//
// An operation that treats every item of a list alike is written once, in NAME.cpp, as functions on a `BackEnd&` that
// call each(). The C++ compiler compiles NAME.cpp with BackEnd = Cpu. The file each.cu of the folder includes NAME.cpp,
// so that nvcc compiles the same code with BackEnd = Cuda, one thread an item. The shortest example is
// lists/gather.cpp. If an item takes longer than some nanoseconds, `grain` is the number of items that are worth a
// thread of the CPU.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/runtime/portable.h"
#ifdef __CUDACC__
#include "kernels/runtime/launch.cuh"
#else
#include "kernels/runtime/parallel.h"
#endif

// Marks a lambda that is given to each().
#ifdef __CUDACC__
#define BEATSCAN_DEVICE __device__
#else
#define BEATSCAN_DEVICE
#endif

namespace beatscan {

#ifdef __CUDACC__

using BackEnd = Cuda;

template <class Work>
__global__ void each_kernel(std::int64_t n, Work work) {
  const std::int64_t i = global_thread();
  if (i < n) work(i);
}

template <class Work>
void each(Cuda& cuda, std::int64_t n, const Work& work, std::int64_t = 0) {
  if (n <= 0) return;
  launch(cuda, {blocks_for(n)}, each_kernel<Work>, n, work);
}

#else

using BackEnd = Cpu;

template <class Work>
void each(const Cpu& cpu, std::int64_t n, const Work& work, std::int64_t grain = 4096) {
  parallel_for(cpu, n, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) work(i);
  });
}

#endif

// Sets bit i of a set (bits.h) while other threads set other bits of it.
BEATSCAN_HOST_DEVICE inline void set_bit(std::uint32_t* words, std::int64_t i) {
  const std::uint32_t bit = 1u << (i % 32);
#ifdef __CUDA_ARCH__
  atomicOr(words + i / 32, bit);
#else
  std::atomic_ref(words[i / 32]).fetch_or(bit, std::memory_order_relaxed);
#endif
}

}  // namespace beatscan
