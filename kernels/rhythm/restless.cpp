#include "kernels/rhythm/restless.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

void restless_parts(BackEnd& context, std::span<const float> parts, int width, std::int64_t block, RestHeights heights,
                    std::span<RestlessParts> found) {
  const std::int64_t count = std::ssize(parts), blocks = std::ssize(found);
  BEATSCAN_EXPECTS(width > 0 && block > 0 && (blocks == 0 || (blocks - 1) * block < count * width),
                   "restless_parts: bad shape");
  each(context, blocks, [=, parts = parts.data(), found = found.data()] BEATSCAN_DEVICE(std::int64_t b) {
    const std::int64_t begin = b * block - block / 2, end = (b + 1) * block + block / 2;
    const std::int64_t first = begin > 0 ? begin / width : 0,
                       last = (end + width - 1) / width < count ? (end + width - 1) / width : count;
    float largest = 0;
    for (std::int64_t i = first; i < last; ++i) largest = parts[i] > largest ? parts[i] : largest;
    RestlessParts own{static_cast<std::int32_t>(last - first), 0, 0};
    for (std::int64_t i = first; i < last; ++i) {
      own.sure += parts[i] > heights.sure * largest;
      own.more += parts[i] > heights.more * largest;
    }
    found[b] = own;
  });
}

}  // namespace beatscan
