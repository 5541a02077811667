// kernels/warp_select.cuh — order statistics of keys that lie in the registers of one warp.
#pragma once

#include <cstdint>

namespace beatscan {

// The key that `rank` of a warp's keys come before, in their order, counted from 0. Bit by bit from `highest_bit`:
// above it all keys are as `common`. A lane has N keys; places without one hold ~0u, which comes last.
template <int N>
__device__ inline unsigned key_of_rank(const unsigned (&keys)[N], int rank, unsigned common, int highest_bit) {
  unsigned found = common;
  for (int bit = highest_bit; bit >= 0; --bit) {
    const unsigned middle = found | 1u << bit;
    int smaller = 0;
#pragma unroll
    for (const unsigned key : keys) smaller += key < middle;
    if (static_cast<int>(__reduce_add_sync(~0u, smaller)) <= rank) found = middle;
  }
  return found;
}

// How many of a warp's keys are below `limit`.
template <int N>
__device__ inline int count_below(const unsigned (&keys)[N], unsigned limit) {
  int smaller = 0;
#pragma unroll
  for (const unsigned key : keys) smaller += key < limit;
  return static_cast<int>(__reduce_add_sync(~0u, smaller));
}

}  // namespace beatscan
