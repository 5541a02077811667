#include "kernels/rhythm/known_medians.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/lists/sorted_window.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

void known_medians(Cpu& cpu, std::span<const float> values, double least, double most, std::span<double> medians) {
  BEATSCAN_EXPECTS(values.size() == medians.size(), "known_medians: bad shape");
  constexpr std::int64_t kGrain = 4096;
  const std::int64_t count = std::ssize(values);
  std::vector<double> known;
  std::vector<std::int64_t> before(count);  // how many values before each exist
  known.reserve(count);
  for (std::int64_t i = 0; i < count; ++i) {
    before[i] = std::ssize(known);
    if (std::isfinite(values[i])) known.push_back(std::clamp<double>(values[i], least, most));
  }
  parallel_for(cpu, count, kGrain, [&](std::int64_t first, std::int64_t last) {
    SortedWindow window(known);
    for (std::int64_t i = first; i < last; ++i) {
      medians[i] = std::numeric_limits<double>::quiet_NaN();
      if (!std::isfinite(values[i])) continue;
      window.move_to(std::max<std::int64_t>(before[i] - kMedianSide, 0),
                     std::min(before[i] + kMedianSide, std::ssize(known)));
      const auto sorted = window.sorted();
      const double low = sorted[(sorted.size() - 1) / 2], high = sorted[sorted.size() / 2];
      medians[i] = low + 0.5 * (high - low);
    }
  });
}

}  // namespace beatscan
