#include "kernels/signal/clamp.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

void clamp(BackEnd& context, std::span<const float> signal, float low, float high, std::span<float> clamped) {
  BEATSCAN_EXPECTS(signal.size() == clamped.size() && low <= high, "clamp: bad shape or limits");
  each(context, std::ssize(signal),
       [=, signal = signal.data(), clamped = clamped.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const float x = signal[i];
         clamped[i] = x < low ? low : x > high ? high : x;
       });
}

}  // namespace beatscan
