// kernels/classify/state_chain.h — posteriors of the states of a chain of beats or blocks, by forward-backward (Rabiner
// 1989).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kChainStates = 3;

// weight[a][b] of a beat in state b after one in state a
struct ChainWeights {
  double weight[kChainStates][kChainStates];
};

// Replaces the likelihoods of each beat's states by the posteriors, given all beats.
//   states  [K][kChainStates]; those of the first beat are times the prior probabilities. The sum over the states of a
//           beat is neither 0 nor infinite, as where the largest likelihood is 1.
// The CPU goes from beat to beat. The GPU multiplies matrices of parts of the chain, so that the last bits may differ.
void chain_posteriors(Cpu&, const ChainWeights& weights, std::span<double> states);
void chain_posteriors(Cuda&, const ChainWeights& weights, std::span<double> states);

// Replaces log odds of each beat by itself by those given all beats: of states 1 and 2 against state 0.
//   slope  of the log odds
//   odds   [K][kChainStates - 1]
struct ChainModel {
  double slope[kChainStates - 1];
  ChainWeights weights;
};
void chain_odds(Cpu&, const ChainModel& model, std::span<double> odds);
void chain_odds(Cuda&, const ChainModel& model, std::span<double> odds);

}  // namespace beatscan
