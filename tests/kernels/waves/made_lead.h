// tests/kernels/waves/made_lead.h — synthetic leads with gaps, and plain computations of what waves/ computes from
// them.
#pragma once

#include <utility>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/waves/window.h"

namespace beatscan::waves {

struct MadeLead {
  std::vector<float> samples;
  std::vector<std::pair<std::int64_t, std::int64_t>> gaps;  // first and last sample
  double rate_hz;
};

// Makes a lead of slow and fast waves with gaps of 1 to 400 samples. Samples in gaps are 1e6, so that they show.
MadeLead made_lead(std::int64_t size, double rate_hz, std::uint64_t seed);

// The definitions of docs/waves.md in double, with a test at each sample for a gap.
std::vector<double> expected_levels(const MadeLead& lead);
std::vector<double> expected_window(const MadeLead& lead, double r);

// The lead in a context's memory.
template <class Context>
class LeadOn {
 public:
  LeadOn(Context& context, const MadeLead& lead)
      : rate_hz_(lead.rate_hz),
        samples_(from_host(context, lead.samples)),
        firsts_(ends(context, lead, true)),
        lasts_(ends(context, lead, false)) {}
  LeadSignal signal(double mv_per_unit = 1) const {
    return {samples_.span(), firsts_.span(), lasts_.span(), rate_hz_, mv_per_unit};
  }

 private:
  static Buffer<std::int64_t, Context> ends(Context& context, const MadeLead& lead, bool first) {
    std::vector<std::int64_t> ends;
    for (const auto& gap : lead.gaps) ends.push_back(first ? gap.first : gap.second);
    return from_host(context, ends);
  }
  double rate_hz_;
  Buffer<float, Context> samples_;
  Buffer<std::int64_t, Context> firsts_, lasts_;
};

}  // namespace beatscan::waves
