// stages/rhythm/decoder.h — decodes the log probabilities of rhythms at each beat into a sequence of rhythms.
//
// A hidden Markov model of S states: a rhythm continues with probability `stay`, or else one is drawn from the prior.
// The prior of the source is estimated again in the recording, where it counts as `prior_beats` beats.
//   emission[i][s] = temperature (log_p[i][s] - log training_prior[s] + (1 - balance) log prior[s])
#pragma once

#include <span>
#include <vector>

#include "stages/rhythm/rhythm_model.h"

namespace beatscan {

struct DecodedRhythms {
  std::vector<double> prior;        // [S] as estimated in the recording
  std::vector<int> path;            // [K] the most probable sequence; of equal ones that with the first state
  std::vector<double> probability;  // [K] that log_p gives the state of each beat by itself
};

// Returns the posterior of each state at each beat, [K][S].
//   log_p  [K][S]
//   prior  [S]
std::vector<float> rhythm_posteriors(std::span<const float> log_p, std::span<const double> training_prior,
                                     std::span<const double> prior, const RhythmSource& source);

// Decodes log probabilities [K][S]. No beats give nothing.
DecodedRhythms decode_rhythms(std::span<const float> log_p, std::span<const double> training_prior,
                              const RhythmSource& source);

}  // namespace beatscan
