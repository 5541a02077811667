// stages/io/recording/lead_units.h — amplitudes of leads in millivolts.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace beatscan {

struct LeadScale {
  double mv_per_unit = 1;
  bool assumed = false;  // the lead has no unit, or none that is known
};

// The typical span of a lead is the upper quartile of its spans in a second or two. Of an ECG, in mV: 0.05 to 50 is
// possible, and 1.5 is the median of ds1, svdb, qtdb, twelve, ludb, irhythm and tele, whose medians are 0.9 to 2.5.
inline constexpr double kLeastSpan_mv = 0.05, kMostSpan_mv = 50, kUsualSpan_mv = 1.5;

// Returns the millivolts of one unit; nothing if the unit is not known.
std::optional<double> millivolts_of(std::string_view unit);

struct LeadAmplitude {
  std::string_view unit;
  double span;  // typical span, in that unit; 0 if nothing moves
};

// Returns the scale of each lead. Leads without a known unit are assumed to share one: mV, or the unit that makes their
// median span the typical one, if more of them then have a span that is possible for an ECG. A lead that has not is
// assumed to have the typical span.
std::vector<LeadScale> lead_scales(std::span<const LeadAmplitude> leads);

}  // namespace beatscan
