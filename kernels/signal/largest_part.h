// kernels/signal/largest_part.h — returns the largest of some parts of an envelope (part_maxima.h), for both back ends.
#pragma once

#include <cstdint>

#include "kernels/runtime/portable.h"

namespace beatscan {

// Returns the largest of the parts from `first` up to, but not including, `last`; 0 if none of them is among the P
// parts.
//   parts  [P] 0 or more
BEATSCAN_HOST_DEVICE inline float largest_part(const float* parts, std::int64_t count, std::int64_t first,
                                               std::int64_t last) {
  float value = 0;
  for (std::int64_t p = first < 0 ? 0 : first; p < last && p < count; ++p) value = parts[p] > value ? parts[p] : value;
  return value;
}

}  // namespace beatscan
