// kernels/runtime/each.h — work(i) for each i of 0 .. n - 1, side by side, by a functor that both back ends compile:
// for rules on lists of beats, where one thread an item is all there is to say. On Cuda the same function is in
// launch.cuh.
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/runtime/parallel.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

template <class Work>
void each(const Cpu& cpu, std::int64_t n, const Work& work) {
  parallel_for(cpu, n, 4096, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) work(i);
  });
}

// Sets bit i of a set (bits.h) that others are setting bits of.
BEATSCAN_HOST_DEVICE inline void set_bit(std::uint32_t* words, std::int64_t i) {
  const std::uint32_t bit = 1u << (i % 32);
#ifdef __CUDA_ARCH__
  atomicOr(words + i / 32, bit);
#else
  std::atomic_ref(words[i / 32]).fetch_or(bit, std::memory_order_relaxed);
#endif
}

}  // namespace beatscan
