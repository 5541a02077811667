#include "kernels/signal/still.h"

#include "kernels/lists/bits.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// Returns whether a stretch of equal samples begins at i and continues in steps of `step` for `least` samples. Most
// samples differ from the next one, which is compared first. Within a stretch the previous sample is equal.
BEATSCAN_HOST_DEVICE bool begins_at(const float* x, std::int64_t n, std::int64_t i, std::int64_t step,
                                    std::int64_t least) {
  const std::int64_t before = i - step, end = i + (least - 1) * step;
  if (end < 0 || end >= n || x[i + step] != x[i]) return false;
  if (before >= 0 && before < n && x[before] == x[i]) return false;
  for (std::int64_t j = i + step; j != end; j += step)
    if (x[j + step] != x[i]) return false;
  return true;
}

}  // namespace

void mark_still(BackEnd& context, std::span<const float> x, std::int64_t least, std::span<std::uint32_t> firsts,
                std::span<std::uint32_t> lasts) {
  const std::int64_t n = std::ssize(x);
  BEATSCAN_EXPECTS(std::ssize(firsts) == words_for(n) && firsts.size() == lasts.size() && least >= 2,
                   "mark_still: bad shape or length");
  each(context, n, [=, x = x.data(), firsts = firsts.data(), lasts = lasts.data()] BEATSCAN_DEVICE(std::int64_t i) {
    if (begins_at(x, n, i, 1, least)) set_bit(firsts, i);
    if (begins_at(x, n, i, -1, least)) set_bit(lasts, i);
  });
}

}  // namespace beatscan
