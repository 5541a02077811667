// app/result/episodes_csv.h — the episodes of a result as CSV text; docs/output.md describes the columns.
#pragma once

#include <string>

#include "stages/episodes/episodes.h"

namespace beatscan {

// Returns one row an episode, by start.
std::string episodes_csv(const RhythmBeats& beats, const Episodes& episodes);

}  // namespace beatscan
