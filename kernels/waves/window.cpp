#include "kernels/waves/window.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/rounded.h"

namespace beatscan::waves {
namespace {

// Item b is a window.
struct ClearMissing {
  LeadGaps gaps;
  std::int64_t samples, min_gap;
  double step;  // samples of a value
  const double* r;
  float* masks;

  BEATSCAN_HOST_DEVICE std::int64_t sample_of(std::int64_t b, int k) const {
    return static_cast<std::int64_t>(floor(plus_product(r[b] + 0.5, step, k - kRValue)));
  }
  BEATSCAN_HOST_DEVICE void clear(float* window, int k) const {
    for (int mask = 0; mask < kMasks; ++mask) window[mask * kValues + k] = 0;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    const std::int64_t first = sample_of(b, 0), last = sample_of(b, kValues - 1);
    if (first >= 0 && last < samples && !gaps.any(first, last)) return;
    float* window = masks + b * kMasks * kValues;
    std::int64_t gap = gaps.reaching(first);
    int inside = 0, missing = 0;
    for (int k = 0; k < kValues; ++k) {
      const std::int64_t sample = sample_of(b, k);
      const bool recorded = 0 <= sample && sample < samples, in_gap = recorded && gaps.missing(sample, gap);
      inside += recorded;
      missing += in_gap;
      if (!recorded || (in_gap && gaps.lasts[gap] - gaps.firsts[gap] >= min_gap)) clear(window, k);
    }
    if (2 * missing > inside)
      for (int k = 0; k < kValues; ++k) clear(window, k);
  }
};

}  // namespace

void rr_intervals(BackEnd& context, std::span<const double> r, double rate_hz, std::span<double> before,
                  std::span<double> after) {
  BEATSCAN_EXPECTS(before.size() == r.size() && after.size() == r.size() && rate_hz > 0,
                   "rr_intervals: bad shape or rate");
  each(context, std::ssize(r),
       [values = kValuesHz / rate_hz, count = std::ssize(r), r = r.data(), before = before.data(),
        after = after.data()] BEATSCAN_DEVICE(std::int64_t b) {
         before[b] = b == 0 ? kFar : (r[b] - r[b - 1]) * values;
         after[b] = b + 1 == count ? kFar : (r[b + 1] - r[b]) * values;
       });
}

void beat_marks(BackEnd& context, std::span<const double> before, std::span<const double> after,
                std::span<Marks> marks) {
  BEATSCAN_EXPECTS(before.size() == marks.size() && after.size() == marks.size(), "beat_marks: bad shape");
  each(context, std::ssize(marks),
       [before = before.data(), after = after.data(), marks = marks.data()] BEATSCAN_DEVICE(std::int64_t b) {
         marks[b] = {kRValue - before[b], kRValue, kRValue + after[b]};
       });
}

void clear_missing(BackEnd& context, const LeadSignal& lead, std::span<const double> r, std::span<float> masks) {
  BEATSCAN_EXPECTS(masks.size() == r.size() * kMasks * kValues, "clear_missing: bad shape");
  each(context, static_cast<std::int64_t>(r.size()),
       ClearMissing{gaps_of(lead), static_cast<std::int64_t>(lead.samples.size()),
                    static_cast<std::int64_t>(kMinGapS * lead.rate_hz), lead.rate_hz / kValuesHz, r.data(),
                    masks.data()},
       kBeatGrain);
}

}  // namespace beatscan::waves
