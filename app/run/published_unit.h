// app/run/published_unit.h — the unit that the published method needs. Its model sees the samples as they are, and was
// made for millivolts; the method around R peaks divides by the recording's own amplitude.
#pragma once

#include <string>

#include "app/config/config.h"

namespace beatscan {

struct InputFacts;

// Says that the samples of a recording are not in millivolts, as its unit or its range tells; empty where they may be,
// and around R peaks.
std::string unit_doubt(const InputFacts& input, Method method);

}  // namespace beatscan
