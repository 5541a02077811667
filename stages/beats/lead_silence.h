// stages/beats/lead_silence.h — where a lead says nothing: it has no values, or stays at one.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/beats/silence.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

// The gaps of a lead, by first and last sample, ascending.
struct GapList {
  std::vector<std::int64_t> firsts, lasts;
};

// Returns the gaps that are too long to be bridged in silence.
GapList long_gaps(const GapList& gaps, double bridge_s, double sample_rate_hz);

template <class Context>
struct LeadSilence {
  Buffer<std::int64_t, Context> missing_firsts, missing_lasts;  // gaps that are too long to be bridged
  Buffer<std::int64_t, Context> still_firsts, still_lasts;      // stretches at one value
  Gaps still() const { return {still_firsts, still_lasts}; }
  bool any() const { return !missing_firsts.empty() || !still_firsts.empty(); }
};

// Finds the silence of a lead. Stretches at one value count from kStill_s on.
//   samples  [N]
inline constexpr double kStill_s = 0.2;
template <class Context>
LeadSilence<Context> silence_of(Context&, std::span<const float> samples, const Gaps& gaps, double bridge_s,
                                double sample_rate_hz);

}  // namespace beatscan
