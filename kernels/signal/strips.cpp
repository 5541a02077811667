#include "kernels/signal/strips.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/strips_common.h"

namespace beatscan {

std::int64_t checked_strip(std::int64_t firsts, std::int64_t strips) {
  BEATSCAN_EXPECTS(firsts == 0 ? strips == 0 : strips % firsts == 0, "cut_strips: bad shape");
  return firsts == 0 ? 0 : strips / firsts;
}

void cut_strips(Cpu& cpu, std::span<const float> values, std::span<const std::int64_t> firsts,
                std::span<float> strips) {
  const std::int64_t length = checked_strip(std::ssize(firsts), std::ssize(strips));
  each(cpu, std::ssize(strips), StripValue{values.data(), std::ssize(values), firsts.data(), length, strips.data()});
}

}  // namespace beatscan
