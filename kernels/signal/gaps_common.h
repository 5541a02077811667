// kernels/signal/gaps_common.h — the line over a gap, for both back ends.
#pragma once

#include <cstdint>

#include "kernels/runtime/portable.h"

namespace beatscan {

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
