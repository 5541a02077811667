#include "kernels/rhythm/alike_intervals.h"

#include "kernels/detection/median.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

static_assert(kMostMedianReach == kMaxReach);

struct AlikePairs {
  const double* x;
  std::int64_t count;
  double factor;
  int partners;
  std::int32_t *alike, *compared;

  BEATSCAN_HOST_DEVICE bool are_alike(double a, double b) const {
    const double high = b * factor, other = a * factor;
    return (a < high) & (b < other);
  }
  // Returns the number of pairs from `first` to before `last` that are like pair i.
  BEATSCAN_HOST_DEVICE std::int32_t like(std::int64_t i, std::int64_t first, std::int64_t last) const {
    const double one = x[i], next = x[i + 1];
    std::int32_t found = 0;
    for (std::int64_t j = first; j < last; ++j) found += are_alike(one, x[j]) & are_alike(next, x[j + 1]);
    return found;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    alike[i] = compared[i] = 0;
    if (i + 1 >= count) return;
    const std::int64_t first = i < partners ? 0 : i - partners;
    const std::int64_t last = i + partners < count - 2 ? i + partners + 1 : count - 1;
    const std::int32_t before = like(i, first, i), behind = like(i, i + 1, last);
    const bool whole = i - first == partners && last - i - 1 == partners;
    alike[i] = !whole ? before + behind : before > behind ? before : behind;
    compared[i] = static_cast<std::int32_t>(whole ? partners : last - first - 1);
  }
};

struct RunningMedians {
  const double* x;
  std::int64_t count;
  int reach;
  double* medians;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    FewSorted<double> window;
    for (std::int64_t j = i - reach; j <= i + reach; ++j) window.add(x[j < 0 ? 0 : j < count ? j : count - 1]);
    medians[i] = window.median();
  }
};

}  // namespace

void alike_pairs(BackEnd& context, std::span<const double> x, double factor, int partners,
                 std::span<std::int32_t> alike, std::span<std::int32_t> compared) {
  BEATSCAN_EXPECTS(alike.size() == x.size() && compared.size() == x.size() && factor > 1 && partners > 0,
                   "alike_pairs: bad shape or option");
  each(context, std::ssize(x), AlikePairs{x.data(), std::ssize(x), factor, partners, alike.data(), compared.data()});
}

void running_medians(BackEnd& context, std::span<const double> x, int reach, std::span<double> medians) {
  BEATSCAN_EXPECTS(medians.size() == x.size() && 0 <= reach && reach <= kMostMedianReach,
                   "running_medians: bad shape or reach");
  each(context, std::ssize(x), RunningMedians{x.data(), std::ssize(x), reach, medians.data()});
}

}  // namespace beatscan
