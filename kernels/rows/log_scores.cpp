#include "kernels/rows/log_scores.h"

#include "kernels/rows/log_scores_common.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

void take_logs(Cpu& cpu, float factor, float least, std::span<float> values) {
  BEATSCAN_EXPECTS(least > 0, "take_logs: least must be positive");
  each(cpu, static_cast<std::int64_t>(values.size()), TakeLog{factor, least, values.data()});
}

void weighted_sum(Cpu& cpu, std::span<const StandardTerm> terms, std::span<float> sums) {
  each(cpu, static_cast<std::int64_t>(sums.size()), WeightedSum(terms, sums));
}

void add(Cpu& cpu, std::span<const float> a, std::span<const float> b, std::span<float> sums) {
  BEATSCAN_EXPECTS(a.size() == sums.size() && b.size() == sums.size(), "add: bad shape");
  each(cpu, static_cast<std::int64_t>(sums.size()), Add{a.data(), b.data(), sums.data()});
}

}  // namespace beatscan
