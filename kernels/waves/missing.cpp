#include "kernels/waves/missing.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/rounded.h"

namespace beatscan::waves {
namespace {

// Where the values of windows lie among the samples of a lead.
struct RecordedValues {
  LeadGaps gaps;
  std::int64_t samples, min_gap;
  double step;  // samples of a value
  const double* r;

  BEATSCAN_HOST_DEVICE std::int64_t sample_of(std::int64_t b, double k) const {
    return static_cast<std::int64_t>(floor(plus_product(r[b] + 0.5, step, k - kRValue)));
  }
  BEATSCAN_HOST_DEVICE bool recorded(std::int64_t sample) const { return 0 <= sample && sample < samples; }
  BEATSCAN_HOST_DEVICE bool is_long(std::int64_t gap) const { return gaps.lasts[gap] - gaps.firsts[gap] >= min_gap; }
  // Returns whether a value is missing, in a gap that is not a short one.
  BEATSCAN_HOST_DEVICE bool missing(std::int64_t b, double k) const {
    const std::int64_t sample = sample_of(b, k);
    if (!recorded(sample)) return true;
    const std::int64_t gap = gaps.reaching(sample);
    return gap < gaps.count && gaps.firsts[gap] <= sample && is_long(gap);
  }
};

RecordedValues values_of(const LeadSignal& lead, std::span<const double> r) {
  return {gaps_of(lead), static_cast<std::int64_t>(lead.samples.size()),
          static_cast<std::int64_t>(kMinGapS * lead.rate_hz), lead.rate_hz / kValuesHz, r.data()};
}

// Item b is a window.
struct ClearMissing {
  RecordedValues values;
  float* masks;

  BEATSCAN_HOST_DEVICE void clear(float* window, int k) const {
    for (int mask = 0; mask < kMasks; ++mask) window[mask * kValues + k] = 0;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    const LeadGaps& gaps = values.gaps;
    const std::int64_t first = values.sample_of(b, 0), last = values.sample_of(b, kValues - 1);
    if (values.recorded(first) && values.recorded(last) && !gaps.any(first, last)) return;
    float* window = masks + b * kMasks * kValues;
    std::int64_t gap = gaps.reaching(first);
    int inside = 0, missing = 0;
    for (int k = 0; k < kValues; ++k) {
      const std::int64_t sample = values.sample_of(b, k);
      const bool recorded = values.recorded(sample), in_gap = recorded && gaps.missing(sample, gap);
      inside += recorded;
      missing += in_gap;
      if (!recorded || (in_gap && values.is_long(gap))) clear(window, k);
    }
    if (2 * missing > inside)
      for (int k = 0; k < kValues; ++k) clear(window, k);
  }
};

// Item i is wave i % 3 of beat i / 3.
struct LeaveOutTruncated {
  RecordedValues values;
  float* fiducials;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t b = i / 3;
    float* wave = fiducials + b * kFiducials + (i % 3) * 3;
    if (std::isnan(wave[0])) return;
    if (values.missing(b, floor(wave[0] + double{kRValue})) || values.missing(b, ceil(wave[2] + double{kRValue})))
      wave[0] = wave[1] = wave[2] = NAN;
  }
};

}  // namespace

void clear_missing(BackEnd& context, const LeadSignal& lead, std::span<const double> r, std::span<float> masks) {
  BEATSCAN_EXPECTS(masks.size() == r.size() * kMasks * kValues, "clear_missing: bad shape");
  each(context, static_cast<std::int64_t>(r.size()), ClearMissing{values_of(lead, r), masks.data()}, kBeatGrain);
}

void leave_out_truncated(BackEnd& context, const LeadSignal& lead, std::span<const double> r,
                         std::span<float> fiducials) {
  BEATSCAN_EXPECTS(fiducials.size() == r.size() * kFiducials, "leave_out_truncated: bad shape");
  each(context, 3 * static_cast<std::int64_t>(r.size()), LeaveOutTruncated{values_of(lead, r), fiducials.data()},
       kBeatGrain);
}

}  // namespace beatscan::waves
