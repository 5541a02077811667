// stages/episodes/episodes.h — tells episodes from beats, and puts them together with those that the signal shows.
//
// VF and VFL that are a tachycardia of wide beats are left out. Inside VF and VFL beats and intervals do not count, and
// there is no other rhythm. There is no SVT inside AFIB, where every early beat may look like S, and no SBR or STACH.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "stages/episodes/rhythm_results.h"

namespace beatscan {

struct EpisodeOptions;

// Work that is done side by side with the search for episodes. Each may be empty, and is called with what was found, on
// another thread: it must not use the context.
struct WorkBeside {
  std::function<void(const Episodes& without_episodes)> on_intervals;  // beside the search for AFIB
  std::function<void(const Episodes& with_af)> on_af;                  // beside the search for what comes after AFIB
};

// Finds the episodes of a recording of `samples` samples.
//   evidence  null: there is no signal
template <class Context>
Episodes episodes_of(Context&, const RhythmBeats& beats, const SignalEvidence* evidence, double samples,
                     const EpisodeOptions& options, const WorkBeside& beside = {});

// Returns the spans of the episodes with this label.
std::vector<TimeSpan> spans_with(const std::vector<Episode>& episodes, EpisodeLabel label);

// Returns the beats a minute by the mean of the known intervals in an episode; nothing where there are none, and for
// labels that tell of no beats: pauses, VF, noise and gaps.
std::optional<double> rate_of(const Episode& episode, const RhythmBeats& beats, const IntervalFlags& hidden);

}  // namespace beatscan
