#include "kernels/signal/strips.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

void cut_strips(BackEnd& context, std::span<const float> values, std::span<const std::int64_t> firsts,
                std::span<float> strips) {
  BEATSCAN_EXPECTS(firsts.empty() ? strips.empty() : strips.size() % firsts.size() == 0, "cut_strips: bad shape");
  if (strips.empty()) return;
  const std::int64_t count = std::ssize(values), length = std::ssize(strips) / std::ssize(firsts);
  each(context, std::ssize(strips),
       [=, values = values.data(), firsts = firsts.data(), strips = strips.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const std::int64_t at = firsts[i / length] + i % length;
         strips[i] = 0 <= at && at < count ? values[at] : __builtin_nanf("");
       });
}

}  // namespace beatscan
