#include "kernels/features/beat_sums.h"

#include <algorithm>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan::features {

void beat_sums(Cpu& cpu, std::span<const std::int16_t> group, std::span<const double> series, std::span<double> sums) {
  const int count = series_of(std::ssize(group), std::ssize(series), std::ssize(sums));
  const std::int64_t beats = count > 0 ? std::ssize(series) / count : 0;
  std::ranges::fill(sums, 0);
  parallel_each(cpu, count, [&](std::int64_t s) {
    const double* of = series.data() + s * beats;
    double& all = sums[kGroups * count + s];
    for (std::int64_t i = 0; i < beats; ++i) {
      all += of[i];
      if (!group.empty() && group[i] >= 0) sums[group[i] * count + s] += of[i];
    }
  });
}

int series_of(std::int64_t groups, std::int64_t values, std::int64_t sums) {
  const auto series = sums / (kGroups + 1);
  BEATSCAN_EXPECTS(sums % (kGroups + 1) == 0 && series <= kMostSeries &&
                       (groups == 0 ? series > 0 && values % series == 0 : values == series * groups),
                   "beat_sums: bad shape");
  return static_cast<int>(series);
}

}  // namespace beatscan::features
