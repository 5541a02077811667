// app/run/kind_doubts.h — tells what makes the kinds of a result doubtful, by its beats and blocks.
#pragma once

#include <optional>
#include <vector>

#include "app/result/run_result.h"

namespace beatscan {

// Finds a part at an end of the recording, from 10 s to a quarter of it, in which a lead is larger than in the rest and
// half of the beats are V or Q and not paced, many more than of the others. Of several leads the first one tells.
std::optional<LargeEnd> large_end(const BeatFacts& beats, const Findings& findings);

// Counts V beats that come when a usual beat would, as if only the shape of usual beats had changed.
BeatsOnTime beats_on_time(const BeatList& found, const Findings& findings);

}  // namespace beatscan
