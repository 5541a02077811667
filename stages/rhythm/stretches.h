// stages/rhythm/stretches.h — noise and gaps as episodes.
#pragma once

#include <span>
#include <vector>

#include "kernels/signal/signal_part.h"
#include "stages/rhythm/episode.h"

namespace beatscan {

struct SignalQuality;

// Returns the stretches of noisy or clipped signal: neighbours with at most `join` samples between them are one, and
// those of fewer than `least` samples are left out. Blocks that touch one of `others` do not count.
//   best     in each block the quality of the best lead
//   samples  of the recording
std::vector<Episode> noise_episodes(const SignalQuality& best, std::int64_t samples, std::span<const Episode> others,
                                    double join, double least);

// Joins two ascending lists of stretches into one that is ascending and disjoint.
std::vector<Stretch> joined_stretches(const std::vector<Stretch>& a, const std::vector<Stretch>& b);

// Returns the gaps as episodes.
std::vector<Episode> gap_episodes(const std::vector<Stretch>& gaps);

}  // namespace beatscan
