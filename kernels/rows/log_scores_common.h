// kernels/rows/log_scores_common.h — one value of each, for both back ends.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/rows/log_scores.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/portable.h"

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

struct WeightedSum {
  struct Term {
    const float* values;
    float middle, weight;
  } terms[kMostTerms] = {};
  int count;
  float* sums;

  WeightedSum(std::span<const StandardTerm> given, std::span<float> out)
      : count(static_cast<int>(given.size())), sums(out.data()) {
    BEATSCAN_EXPECTS(1 <= given.size() && given.size() <= kMostTerms, "weighted_sum: 1 to 3 terms");
    for (int k = 0; k < count; ++k) {
      BEATSCAN_EXPECTS(given[k].values.size() == out.size(), "weighted_sum: bad shape");
      terms[k] = {given[k].values.data(), given[k].middle, given[k].weight};
    }
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    float sum = 0;
    for (int k = 0; k < count; ++k) sum += terms[k].weight * (terms[k].values[i] - terms[k].middle);
    sums[i] = sum;
  }
};

struct Add {
  const float *a, *b;
  float* sums;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const { sums[i] = a[i] + b[i]; }
};

}  // namespace beatscan
