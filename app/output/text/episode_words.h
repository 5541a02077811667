// app/output/text/episode_words.h — the episodes of a recording in one line of text.
#pragma once

#include <string>

namespace beatscan {

struct RhythmBeats;
struct RhythmFindings;

// Returns each label with its number and, where that adds information, its total time, such as
// "AFIB 2 (1 h 3 min), V2 12"; "none" without an episode. Reports if atrial fibrillation is undetermined.
std::string episode_figures(const RhythmBeats& beats, const RhythmFindings& findings);

}  // namespace beatscan
