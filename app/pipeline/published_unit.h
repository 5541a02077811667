// app/pipeline/published_unit.h — checks the unit for the method published. Its model takes samples without scaling and
// was made for millivolts; the method r_peaks divides by the recording's own amplitude.
#pragma once

#include <string>

#include "app/config/config.h"

namespace beatscan {

struct InputFacts;

// Returns a warning if the unit or the range of a recording shows that its samples are not in millivolts; empty if they
// may be, and for method r_peaks.
std::string unit_uncertainty(const InputFacts& input, Method method);

}  // namespace beatscan
