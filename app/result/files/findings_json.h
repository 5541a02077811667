// app/result/files/findings_json.h — kinds, episodes and heart rate variability for summary.json; docs/output.md
// describes the keys.
#pragma once

#include <nlohmann/json.hpp>

#include "app/text/json.h"

namespace beatscan {

struct RhythmBeats;
struct RhythmFindings;

// Returns what was found in the recording. A value that cannot be told is null.
Json findings_json(const RhythmBeats& beats, const RhythmFindings& findings);

// Returns the same hour by hour, as a list.
Json hours_json(const RhythmFindings& findings);

}  // namespace beatscan
