// stages/rhythm/fibrillation.h — ventricular fibrillation and flutter, from the scores of blocks.
//
// The score of a block is the mean over the leads, weighted by P(good). A Markov chain of two states turns the scores
// into the probability of fibrillation in each block: a calibrated score is the log likelihood ratio of the states.
// Neighbouring blocks above one half are an episode, and its confidence is the mean of their probabilities. It is
// flutter where the means of leakage and frequency over its blocks are low: it is much like a slow sine.
// docs/fibrillation.md has the figures.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/rhythm/episode.h"

namespace beatscan {

struct QualityIndex;

// Returns VF and VFL in order of time. Beats and quality of the episodes are left to the caller.
//   leads    places of the leads that count; none, or no index: no episodes
//   samples  of the recording, where the last block ends
std::vector<Episode> fibrillation_episodes(const QualityIndex& index, std::span<const std::size_t> leads,
                                           std::int64_t samples);

// Returns the probability of fibrillation in each block, [K].
std::vector<double> fibrillation_posteriors(const QualityIndex& index, std::span<const std::size_t> leads);

}  // namespace beatscan
