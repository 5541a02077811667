// stages/rhythm/episodes.h — the episodes of a recording: those of rhythms that the model recognises, those that
// definitions over beats and their classes give, and those that the signal shows.
//
// In VF and VFL beats and intervals do not count. There is no SVT inside AFIB and AFL, where every premature beat may
// look like S, and no SBR or STACH.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "stages/rhythm/episode.h"

namespace beatscan {

struct Rhythms;

// Finds the episodes of a recording of `samples` samples.
//   evidence  null: there is no signal
template <class Context>
Episodes episodes_of(Context&, const RhythmBeats& beats, const SignalEvidence* evidence, const Rhythms& rhythms,
                     double samples, const EpisodeOptions& options);

// Returns the label of episodes of a state of the rhythm model; nullopt for sinus rhythm and states without one.
std::optional<EpisodeLabel> label_of_state(std::string_view state);

// Returns the spans of the episodes with this label.
std::vector<TimeSpan> spans_with(const std::vector<Episode>& episodes, EpisodeLabel label);

// Returns the beats a minute by the mean of the known intervals in an episode; nothing where there are none, and for
// labels that have no beats: pauses, VF, noise and gaps.
std::optional<double> rate_of(const Episode& episode, const RhythmBeats& beats, const IntervalFlags& hidden);

}  // namespace beatscan
