// stages/rhythm/model_episodes.h — episodes of rhythms that the model recognises (stages/rhythm).
//
// The model names the rhythms that it decides. Those of the other labels follow from definitions over beats (runs.h).
// The confidence is that of the model's segment. The quality is the worst of the beats where fewer than half of them
// are in good signal, and else good.
#pragma once

#include <vector>

#include "stages/rhythm/episode.h"
#include "stages/rhythm/rhythm_results.h"

namespace beatscan {

struct Rhythms;

// Returns the episodes of the rhythms that the model decides, in order of time.
//   hidden  spans in which the signal shows that there is no rhythm, by start: episodes are cut there
std::vector<Episode> model_episodes(const RhythmBeats& beats, const Rhythms& rhythms,
                                    const std::vector<TimeSpan>& hidden);

// Says whether the model decides a label.
bool decides(const Rhythms& rhythms, EpisodeLabel label);

// Returns where the model recognises a rhythm, be it sinus rhythm, and neither noise nor ventricular fibrillation.
std::vector<TimeSpan> spans_of_rhythm(const RhythmBeats& beats, const Rhythms& rhythms,
                                      const std::vector<TimeSpan>& hidden);

}  // namespace beatscan
