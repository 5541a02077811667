#include "kernels/windows/log_scores.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

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

}  // namespace

void take_logs(BackEnd& context, float least, std::span<float> values) {
  BEATSCAN_EXPECTS(least > 0, "take_logs: least must be positive");
  each(context, std::ssize(values), [=, values = values.data()] BEATSCAN_DEVICE(std::int64_t i) {
    constexpr float kMost = 3e38f;  // stands for what is too large for a float, and for what is no number
    values[i] = logf((values[i] <= kMost ? values[i] : kMost) + least);
  });
}

void weighted_sum(BackEnd& context, std::span<const StandardTerm> terms, std::span<float> sums) {
  each(context, std::ssize(sums), WeightedSum(terms, sums));
}

void add(BackEnd& context, std::span<const float> a, std::span<const float> b, std::span<float> sums) {
  BEATSCAN_EXPECTS(a.size() == sums.size() && b.size() == sums.size(), "add: bad shape");
  each(context, std::ssize(sums),
       [a = a.data(), b = b.data(), sums = sums.data()] BEATSCAN_DEVICE(std::int64_t i) { sums[i] = a[i] + b[i]; });
}

void score_sums(BackEnd& context, std::span<const float> waveform, std::span<const float> rhythm, float below,
                std::span<float> scores) {
  BEATSCAN_EXPECTS(waveform.size() == scores.size() && rhythm.size() == scores.size(), "score_sums: bad shape");
  each(context, std::ssize(scores),
       [=, waveform = waveform.data(), rhythm = rhythm.data(), scores = scores.data()] BEATSCAN_DEVICE(std::int64_t i) {
         scores[i] = rhythm[i] + (waveform[i] > 0 ? waveform[i] : below * waveform[i]);
       });
}

}  // namespace beatscan
