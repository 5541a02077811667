// app/output/files/findings_json.h — beat classes, episodes and heart rate variability for summary.json; docs/output.md
// describes the keys.
#pragma once

#include <nlohmann/json.hpp>

#include "app/common/json.h"

namespace beatscan {

struct RhythmBeats;
struct RhythmFindings;

// Returns the classification of the recording. Undetermined values are null.
Json findings_json(const RhythmBeats& beats, const RhythmFindings& findings);

// Returns the same for each hour, as a list.
Json hours_json(const RhythmFindings& findings);

}  // namespace beatscan
