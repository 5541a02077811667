// kernels/detect/detect_common.h — one sample and one block of the level, for both back ends.
#pragma once

#include "kernels/detect/detect.h"
#include "kernels/runtime/portable.h"

namespace beatscan::detection {

// The samples [first, last) of block i, where n samples are cut into blocks of the level.
struct BlockRange {
  std::int64_t first, last;
  BEATSCAN_HOST_DEVICE BlockRange(std::int64_t i, std::int64_t blocks, int block, std::int64_t n)
      : first(i * block), last(i + 1 < blocks ? (i + 1) * block : n) {}
};

// Returns whether sample i is a candidate, see mark_candidates. The nearest samples come first: most samples fail
// there.
BEATSCAN_HOST_DEVICE inline bool is_candidate(const float* x, std::int64_t n, std::int64_t i, int radius, int edge) {
  if (i < edge || i >= n - edge || !(x[i] > 0)) return false;
  for (std::int64_t d = 1; d <= radius; ++d) {
    if (i - d >= 0 && x[i - d] >= x[i]) return false;
    if (i + d < n && x[i + d] > x[i]) return false;
  }
  return true;
}

}  // namespace beatscan::detection
