// stages/recording/lead_units.h — amplitudes of a lead in millivolts.
#pragma once

#include <string_view>
#include <utility>

#include "kernels/signal/value_range.h"

namespace beatscan {

struct LeadScale {
  double mv_per_unit = 1;
  bool assumed = false;  // the lead has no unit, or none that is known
};

// Returns the scale of a lead. One without a known unit is assumed to be in mV if its range is that of an ECG, 0.05 to
// 50, and else to span 5 mV.
inline LeadScale lead_scale(std::string_view unit, const ValueRange& range) {
  for (const auto& [known, millivolts] :
       {std::pair{"mV", 1.0}, {"mv", 1.0}, {"uV", 1e-3}, {"µV", 1e-3}, {"μV", 1e-3}, {"uv", 1e-3}, {"V", 1e3}})
    if (unit == known) return {millivolts, false};
  const double span = static_cast<double>(range.max) - range.min;
  return {span > 0 && (span < 0.05 || span > 50) ? 5 / span : 1, true};
}

inline double mv_per_unit(std::string_view unit, const ValueRange& range) {
  return lead_scale(unit, range).mv_per_unit;
}

}  // namespace beatscan
