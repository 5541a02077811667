// stages/quality/lead_silence.h — where a lead shows no cardiac signal: it has no values, or stays at one value.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/detect/detect.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

// The gaps of a lead, by first and last sample, ascending.
struct GapList {
  std::vector<std::int64_t> firsts, lasts;
};

// Returns the gaps that are longer than bridge_s.
GapList long_gaps(const GapList& gaps, double bridge_s, double sample_rate_hz);

struct SilentStretches {
  Gaps off = {};    // no signal: gaps that are too long to be bridged, and stretches of kOff_s at one value
  Gaps still = {};  // stretches of kStill_s at one value: a lead that is off, or isoelectric between beats
};
inline constexpr double kStill_s = 0.2, kOff_s = 2, kDrop_s = 0.06;

template <class Context>
struct LeadSilence {
  Buffer<std::int64_t, Context> off_firsts, off_lasts, still_firsts, still_lasts;
  GapList off;  // the same as off_firsts and off_lasts, on the host
  // Stretches that a straight line replaces, on the host: drop-outs, and still stretches far beyond typical samples, as
  // at the end of an amplifier's range
  GapList far;
  // A drop-out is a shorter stretch, of kDrop_s, between a jump to its value and a jump back. A QRS complex has no such
  // stretch.
  GapList drop_outs;
  SilentStretches stretches() const { return {{off_firsts, off_lasts}, {still_firsts, still_lasts}}; }
  bool any() const { return !off_firsts.empty() || !still_firsts.empty(); }
};

// Finds the silence of a lead.
//   samples  [N]
template <class Context>
LeadSilence<Context> silence_of(Context&, std::span<const float> samples, const Gaps& gaps, double bridge_s,
                                double sample_rate_hz);

}  // namespace beatscan
