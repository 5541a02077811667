// kernels/rhythm/decode_states.h — the most probable sequence of states over beats, by a hidden Markov model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/rhythm/rhythm.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// A state continues with probability `stay`, or else one is drawn from the prior, S states.
//   emission[i][s] = temperature (log_p[i][s] - log training_prior[s] + (1 - balance) log prior[s])
// `prior` is estimated again in each of some rounds, where the one that is given counts as `prior_beats` beats: the
// estimate is prior_beats prior + the sum of the posteriors of all beats, over the sum of both.
struct StateDecoder {
  std::vector<double> prior, training_prior;  // [S] above 0; S is at most kMostStates
  double temperature;                         // above 0
  double balance;                             // 0 .. 1
  double stay;                                // 0 or more, below 1
  double prior_beats;
  int rounds;
};

struct DecodedStates {
  std::vector<double> prior;        // [S] as estimated
  std::vector<int> path;            // [K] the most probable sequence; of equal ones that with the first state
  std::vector<double> probability;  // [K] that log_p gives the state of each beat by itself
};

// Decodes log probabilities of states at K beats.
//   log_p  [K] -infinity of states from S on
// The CPU gives the same bits on all processors. The GPU adds up in another order: its prior differs in the last bits,
// and its path where sequences are as probable but for rounding. A wrong shape throws ErrorKind::internal.
DecodedStates decode_states(Cpu&, std::span<const StateValues> log_p, const StateDecoder& decoder);
DecodedStates decode_states(Cuda&, std::span<const StateValues> log_p, const StateDecoder& decoder);

// Checks a decoder's shape.
void check_decoder(const StateDecoder& decoder);

}  // namespace beatscan
