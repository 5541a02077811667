#include "app/report/page_arrays.h"

#include <algorithm>
#include <limits>

#include "kernels/runtime/each_width.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {
namespace {

// Two loops without a branch, which the compiler turns into ones over several values at once.
BEATSCAN_EACH_WIDTH("default", "avx2")
bool all_within(std::span<const float> values, float reach) {
  int beyond = 0;
  for (const float value : values) beyond |= !(std::abs(value) <= reach);  // NaN is beyond it, too
  return beyond == 0;
}

BEATSCAN_EACH_WIDTH("default", "avx2")
void to_steps(std::span<const float> values, double offset, double step, std::int32_t* whole) {
  for (std::size_t i = 0; i < values.size(); ++i) whole[i] = ArraySteps::nearest((values[i] - offset) / step);
}

}  // namespace

std::vector<std::int32_t> in_steps(std::span<const float> values, const ArraySteps& steps) {
  std::vector<std::int32_t> whole(values.size());
  // Values up to here are less than kMost steps from the offset, whatever is rounded.
  const double reach = (ArraySteps::kMost * steps.step - std::abs(steps.offset)) / 2;
  const bool is_usual = reach >= std::numeric_limits<float>::min() && reach <= std::numeric_limits<float>::max();
  if (is_usual && all_within(values, static_cast<float>(reach)))
    to_steps(values, steps.offset, steps.step, whole.data());
  else
    std::ranges::transform(values, whole.begin(), steps);
  return whole;
}

}  // namespace beatscan
