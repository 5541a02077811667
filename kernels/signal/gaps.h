// kernels/signal/gaps.h — missing samples, and bridges over them. A wrong shape throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

// Marks the samples that are missing (NaN).
//   x      [N]
//   words  [words_for(N)], see bits.h
void mark_missing(Cpu&, std::span<const float> x, std::span<std::uint32_t> words);
void mark_missing(Cuda&, std::span<const float> x, std::span<std::uint32_t> words);

// Returns how many samples of x [N] are missing (NaN). On Cuda it waits for the work that was queued before.
std::int64_t count_missing(Cpu&, std::span<const float> x);
std::int64_t count_missing(Cuda&, std::span<const float> x);

// Puts a straight line from the last sample before each gap to the first sample after it. A gap at an end of the
// recording takes the value of its one neighbour, and one without neighbours is 0. So there is no step that a filter
// would respond to, and no NaN that would poison a transform.
//   x               [N]
//   beside          [N] the signal with the samples next to the gaps; x itself where no two gaps touch
//   firsts, lasts   [G] first and last sample of each gap, ascending
void bridge_gaps(Cpu&, std::span<const float> beside, std::span<float> x, std::span<const std::int64_t> firsts,
                 std::span<const std::int64_t> lasts);
void bridge_gaps(Cuda&, std::span<const float> beside, std::span<float> x, std::span<const std::int64_t> firsts,
                 std::span<const std::int64_t> lasts);

struct GapBridge {
  float left, right;
  std::int64_t first, last;

  // `x` has the values next to the gap.
  BEATSCAN_HOST_DEVICE GapBridge(const float* x, std::int64_t n, std::int64_t first, std::int64_t last)
      : left(first > 0      ? x[first - 1]
             : last + 1 < n ? x[last + 1]
                            : 0),
        right(last + 1 < n ? x[last + 1] : left),
        first(first),
        last(last) {}

  BEATSCAN_HOST_DEVICE float at(std::int64_t i) const {
    return interpolate(left, right, static_cast<float>(i - first + 1) / static_cast<float>(last - first + 2));
  }
};

}  // namespace beatscan
