// app/result/words/episode_words.h — tells in a line which episodes a recording has.
#pragma once

#include <string>

namespace beatscan {

struct RhythmBeats;
struct RhythmFindings;

// Returns each label with its number, and with its time in all where that tells more, such as
// "AFIB 2 (1 h 3 min), V2 12"; "none" without an episode. Says where atrial fibrillation cannot be told.
std::string episode_figures(const RhythmBeats& beats, const RhythmFindings& findings);

}  // namespace beatscan
