// kernels/waves/lead_gaps.h — looks up missing samples in the list of a lead's gaps, on both back ends.
#pragma once

#include "kernels/runtime/portable.h"
#include "kernels/waves/window.h"

namespace beatscan::waves {

struct LeadGaps {
  const std::int64_t* firsts;
  const std::int64_t* lasts;
  std::int64_t count;

  // Returns the first gap that does not end before sample i.
  BEATSCAN_HOST_DEVICE std::int64_t reaching(std::int64_t i) const { return first_not_below(lasts, count, i); }
  // Says whether a sample of first .. last is missing.
  BEATSCAN_HOST_DEVICE bool any(std::int64_t first, std::int64_t last) const {
    const std::int64_t gap = reaching(first);
    return gap < count && firsts[gap] <= last;
  }
  // Says whether sample i is missing, where `gap` is the first gap that may hold it and is moved on.
  BEATSCAN_HOST_DEVICE bool missing(std::int64_t i, std::int64_t& gap) const {
    while (gap < count && lasts[gap] < i) ++gap;
    return gap < count && firsts[gap] <= i;
  }
};

inline LeadGaps gaps_of(const LeadSignal& lead) {
  return {lead.gap_firsts.data(), lead.gap_lasts.data(), static_cast<std::int64_t>(lead.gap_firsts.size())};
}

// Makes the checks of a lead that all callers share.
void check_lead(const LeadSignal& lead);

}  // namespace beatscan::waves
