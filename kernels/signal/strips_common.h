// kernels/signal/strips_common.h — one value of one strip, for both back ends.
#pragma once

#include "kernels/runtime/portable.h"
#include "kernels/signal/strips.h"

namespace beatscan {

struct StripValue {
  const float* values;
  std::int64_t count;
  const std::int64_t* firsts;
  std::int64_t length;
  float* strips;

  // i: of a value, strip * length + place.
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t at = firsts[i / length] + i % length;
    strips[i] = 0 <= at && at < count ? values[at] : __builtin_nanf("");
  }
};

}  // namespace beatscan
