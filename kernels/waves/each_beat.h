// kernels/waves/each_beat.h — each() (kernels/runtime/each.h) for items that take a microsecond: beats, windows.
#pragma once

#include "kernels/runtime/each.h"

namespace beatscan::waves {

#ifdef __CUDACC__
template <class Work>
void each_beat(Cuda& cuda, std::int64_t n, const Work& work) {
  each(cuda, n, work);
}
#else
template <class Work>
void each_beat(const Cpu& cpu, std::int64_t n, const Work& work) {
  parallel_for(cpu, n, 128, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) work(i);
  });
}
#endif

}  // namespace beatscan::waves
