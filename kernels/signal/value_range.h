// kernels/signal/value_range.h — the smallest and the largest value of a signal.
#pragma once

namespace beatscan {

struct ValueRange {
  float min, max;
};

}  // namespace beatscan
