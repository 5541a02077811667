#include "kernels/rhythm/running_medians.h"

#include "kernels/detect/median.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

static_assert(kMostMedianReach == kMaxReach);

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

void running_medians(BackEnd& context, std::span<const double> x, int reach, std::span<double> medians) {
  BEATSCAN_EXPECTS(medians.size() == x.size() && 0 <= reach && reach <= kMostMedianReach,
                   "running_medians: bad shape or reach");
  each(context, std::ssize(x), RunningMedians{x.data(), std::ssize(x), reach, medians.data()});
}

}  // namespace beatscan
