// stages/rhythm/hours.h — what a recording holds, hour by hour from its start.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "stages/rhythm/rhythm_results.h"

namespace beatscan {

// Returns the facts of each hour of a recording of `samples` samples; the last hour may be shorter.
std::vector<HourFacts> hours_of(const RhythmBeats& beats, const Episodes& episodes, double samples);

AfBurden burden_of(const Episodes& episodes, double sample_rate_hz);

}  // namespace beatscan
