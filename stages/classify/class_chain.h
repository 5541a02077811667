// stages/classify/class_chain.h — boosted trees that classify beats from the beat table.
//
// scripts/train_classifier trains them, and scripts/classify/model.py defines the file format.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/classify/state_chain.h"
#include "kernels/classify/tree_sums.h"
#include "stages/classify/beat_findings.h"

namespace beatscan {

// The trees of one round, of the four classes in turn. A child of 0 and more is a split of the same tree, and a child
// of -1 - k is its leaf k. An input goes to the left if it is at most the threshold, and NaN as `nan_left` says.
struct ClassTrees {
  std::vector<std::string> inputs;                    // columns of the table, or of the context (beat_classes.h)
  std::vector<std::int32_t> first_split, first_leaf;  // [T]
  std::vector<std::int16_t> feature;                  // [splits] place in `inputs`
  std::vector<float> threshold;                       // [splits]
  std::vector<std::int8_t> left, right;               // [splits]
  std::vector<std::uint8_t> nan_left;                 // [splits]
  std::vector<float> leaf;                            // [leaves] log odds
};

// A series of rounds, each of which reads the results of the previous one.
using ClassSeries = std::vector<ClassTrees>;

// Calibrates log odds z: slope z + offset.
struct OddsCalibration {
  double slope = 1, offset = 0;
};

// The evidence of neighbouring beats for each other's class. Its states are N or S, V, X. The default has no effect.
struct ClassChain {
  std::array<double, kChainStates - 1> slope = {1, 1};                   // of the log odds of V and X
  std::array<std::array<double, kChainStates>, kChainStates> pair = {};  // [a][b] of b after a, a log weight
};

struct ClassModel {
  ClassSeries noise;     // trained with copies in synthetic noise: for V and X
  ClassSeries clean;     // trained without, on fewer columns: for S against N
  double most_odds = 9;  // log odds are within this
  double af_weight = 0;  // see beat_classes.h
  std::array<OddsCalibration, kPosteriorClasses - 1> calibration{};  // S against N; V, and X, against N and S
  ClassChain chain;
};

// Numbers the leaves of each tree from left to right. A tree has kMostLeaves leaves at most.
BoostedTrees boosted_trees(const ClassTrees& trees);

// The evidence of neighbouring beats for each other's class.
//
// The states of a beat are N or S, V, and X. A sequence of states has this log likelihood, up to a constant:
//   sum over beats    slope[c] odds[c]; 0 for N or S
//   sum over pairs    pair[state of a beat][state of the next one]
// An X between V beats, for example, is probably one of them: a wide beat next to others is no artifact.

// Replaces log odds of V and of X against N and S together, of each beat by itself, by those given all beats: of the
// posteriors of forward-backward.
//   odds  [K][2] in the context's memory
template <class Context>
void chain_odds(Context&, const ClassChain& chain, std::span<double> odds);

}  // namespace beatscan
