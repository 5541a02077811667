#include "kernels/lists/local_quantiles.h"

#include <algorithm>

#include "kernels/lists/sorted_window.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/parallel_sort.h"

namespace beatscan {

Buffer<float, Cpu> sorted(Cpu& cpu, std::span<const float> values) {
  Buffer<float, Cpu> result(cpu, std::ssize(values));
  std::ranges::copy(values, result.data());
  std::ranges::sort(result.span());
  return result;
}

Buffer<double, Cpu> sorted(Cpu& cpu, std::span<const double> values) {
  Buffer<double, Cpu> result(cpu, std::ssize(values));
  std::ranges::copy(values, result.data());
  parallel_sort(cpu, result.span());
  return result;
}

void local_quantiles(Cpu& cpu, std::span<const double> values, std::span<const std::int64_t> middles, int reach,
                     std::array<double, 2> q, std::span<double> quantiles) {
  check_local_quantiles(std::ssize(middles), reach, q, std::ssize(quantiles));
  parallel_for(cpu, std::ssize(middles), 2048, [&](std::int64_t first, std::int64_t last) {
    SortedWindow window(values);
    for (std::int64_t i = first; i < last; ++i) {
      window.move_to(std::max<std::int64_t>(middles[i] - reach, 0), std::min(middles[i] + reach, std::ssize(values)));
      for (int k = 0; k < 2; ++k) quantiles[2 * i + k] = window.quantile(q[k]);
    }
  });
}

void check_local_quantiles(std::int64_t middles, int reach, std::array<double, 2> q, std::int64_t quantiles) {
  BEATSCAN_EXPECTS(quantiles == 2 * middles && 1 <= reach && reach <= kMostReach,
                   "local_quantiles: bad shape or reach");
  for (const double share : q) BEATSCAN_EXPECTS(0 <= share && share <= 1, "local_quantiles: q must be within 0 .. 1");
}

}  // namespace beatscan
