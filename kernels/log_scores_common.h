// kernels/log_scores_common.h — one value of each, for both back ends.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/portable.h"

namespace beatscan {

struct TakeLog {
  float factor, least;
  float* values;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    constexpr float kMost = 3e38f;  // what is too large for a float, or no number, is as far as can be
    const float value = factor * values[i];
    values[i] = logf((value <= kMost ? value : kMost) + least);
  }
};

struct Gather {
  const float* values;
  const std::int64_t* indices;
  float* chosen;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const { chosen[i] = values[indices[i]]; }
};

struct AddWeighted {
  const float* values;
  float middle, weight;
  float* sums;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const { sums[i] += weight * (values[i] - middle); }
};

}  // namespace beatscan
