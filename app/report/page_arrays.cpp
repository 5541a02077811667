#include "app/report/page_arrays.h"

#include <algorithm>

#include "kernels/runtime/each_width.h"

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
  const double reach = ArraySteps::kMost * steps.step - std::abs(steps.offset);
  if (steps.step > 0 && all_within(values, static_cast<float>(reach / 2)))
    to_steps(values, steps.offset, steps.step, whole.data());
  else
    std::ranges::transform(values, whole.begin(), steps);
  return whole;
}

}  // namespace beatscan
