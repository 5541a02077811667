// kernels/lists/warp_select.cuh — order statistics of keys that lie in the registers of one warp.
#pragma once

#include <cstdint>

namespace beatscan {

// The range of keys in which a search continues. Places without a key hold ~0u.
struct KeyRange {
  unsigned least, most;
  int count;  // keys up to `most`
};

template <int N>
__device__ inline KeyRange range_of(const unsigned (&keys)[N], int count) {
  constexpr unsigned kNone = ~0u;
  unsigned least = kNone, most = 0;
#pragma unroll
  for (const unsigned key : keys) {
    least = min(least, key);
    if (key != kNone) most = max(most, key);
  }
  return {__reduce_min_sync(~0u, least), __reduce_max_sync(~0u, most), count};
}

// Returns how many of a warp's keys are below `limit`.
template <int N>
__device__ inline int count_below(const unsigned (&keys)[N], unsigned limit) {
  int smaller = 0;
#pragma unroll
  for (const unsigned key : keys) smaller += key < limit;
  return static_cast<int>(__reduce_add_sync(~0u, smaller));
}

// Returns the least of a warp's keys from `limit` on; ~0u if there is none.
template <int N>
__device__ inline unsigned least_from(const unsigned (&keys)[N], unsigned limit) {
  unsigned found = ~0u;
#pragma unroll
  for (const unsigned key : keys)
    if (key >= limit) found = min(found, key);
  return __reduce_min_sync(~0u, found);
}

// Returns the greatest of a warp's keys below `limit`; 0 if there is none.
template <int N>
__device__ inline unsigned most_below(const unsigned (&keys)[N], unsigned limit) {
  unsigned found = 0;
#pragma unroll
  for (const unsigned key : keys)
    if (key < limit) found = max(found, key);
  return __reduce_max_sync(~0u, found);
}

// Returns the key that `rank` of a warp's keys precede in ascending order, 0 <= rank < range.count. A straight line
// through the counts known so far guesses where the key lies. That takes about six guesses, and halving the range takes
// one for each bit. Every third guess halves the range, so that no set of keys needs more than three times as many
// guesses as halving.
template <int N>
__device__ inline unsigned key_of_rank(const unsigned (&keys)[N], int rank, KeyRange range) {
  unsigned low = range.least, high = range.most;  // the key is one of low..high
  int before = 0, upto = range.count;             // keys below low, and keys below high + 1
  for (int guess = 1; low < high; ++guess) {
    const float share =
        guess % 3 == 0 ? 0.5f : (static_cast<float>(rank - before) + 0.5f) / static_cast<float>(upto - before);
    const unsigned step = static_cast<unsigned>(share * static_cast<float>(high - low));
    const unsigned middle = low + 1 + min(step, high - low - 1);
    const int below = count_below(keys, middle);
    if (below == rank) return least_from(keys, middle);
    if (below == rank + 1) return most_below(keys, middle);
    if (below < rank) {
      low = middle;
      before = below;
    } else {
      high = middle - 1;
      upto = below;
    }
  }
  return low;
}

}  // namespace beatscan
