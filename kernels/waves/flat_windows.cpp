#include "kernels/waves/flat_windows.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/waves/local_averages.h"

namespace beatscan::waves {

void clear_flat_windows(BackEnd& context, std::span<const float> heights, std::span<float> masks) {
  BEATSCAN_EXPECTS(masks.size() == heights.size() * kMasks * kValues, "clear_flat_windows: bad shape");
  each(context, std::ssize(heights), [heights = heights.data(), masks = masks.data()] BEATSCAN_DEVICE(std::int64_t b) {
    if (heights[b] > kLeastHeight) return;
    for (int i = 0; i < kMasks * kValues; ++i) masks[b * kMasks * kValues + i] = 0;
  });
}

}  // namespace beatscan::waves
