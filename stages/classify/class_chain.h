// stages/classify/class_chain.h — the evidence of neighbouring beats for each other's class.
//
// The states of a beat are N or S, V, and X. A sequence of states has this log likelihood, up to a constant:
//   sum over beats    slope[c] odds[c]; 0 for N or S
//   sum over pairs    pair[state of a beat][state of the next one]
// An X between V beats, for example, is probably one of them: a wide beat next to others is no artifact.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stages/classify/class_model.h"

namespace beatscan {

using ChainOdds = std::array<double, kChainStates - 1>;  // log odds of V and of X against N and S together

// Returns the odds of each beat, given all beats, [K]: those of the posteriors of forward-backward.
//   odds  [K] of each beat by itself
std::vector<ChainOdds> chain_odds(std::span<const ChainOdds> odds, const ClassChain& chain);

}  // namespace beatscan
