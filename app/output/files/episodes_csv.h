// app/output/files/episodes_csv.h — the episodes of a result as CSV text; docs/output.md describes the columns.
#pragma once

#include <optional>
#include <string>

#include "stages/io/recording/start_time.h"

namespace beatscan {

struct Episodes;
struct RhythmBeats;

// Returns one row an episode, by start. The times of day are empty where `start_time` is not known.
std::string episodes_csv(const RhythmBeats& beats, const Episodes& episodes,
                         const std::optional<StartTime>& start_time = {});

}  // namespace beatscan
