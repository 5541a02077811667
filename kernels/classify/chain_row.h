// kernels/classify/chain_row.h — steps of forward-backward on the weights of a beat's states, for both back ends.
#pragma once

#include "kernels/classify/state_chain.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

// The weights of the states of a beat.
struct ChainRow {
  double of[kChainStates];
};

BEATSCAN_HOST_DEVICE inline ChainRow row_at(const double* states, std::int64_t i) {
  return {states[i * kChainStates], states[i * kChainStates + 1], states[i * kChainStates + 2]};
}
BEATSCAN_HOST_DEVICE inline void set_row(double* states, std::int64_t i, const ChainRow& row) {
  for (int s = 0; s < kChainStates; ++s) states[i * kChainStates + s] = row.of[s];
}

// after[b] = sum over a of before[a] weight[a][b]
BEATSCAN_HOST_DEVICE inline ChainRow step(const ChainWeights& weights, const ChainRow& before) {
  ChainRow after{};
  for (int b = 0; b < kChainStates; ++b)
    for (int a = 0; a < kChainStates; ++a) after.of[b] += before.of[a] * weights.weight[a][b];
  return after;
}

// before[a] = sum over b of weight[a][b] after[b]
BEATSCAN_HOST_DEVICE inline ChainRow step_back(const ChainWeights& weights, const ChainRow& after) {
  ChainRow before{};
  for (int a = 0; a < kChainStates; ++a)
    for (int b = 0; b < kChainStates; ++b) before.of[a] += weights.weight[a][b] * after.of[b];
  return before;
}

BEATSCAN_HOST_DEVICE inline ChainRow product(ChainRow row, const ChainRow& by) {
  for (int s = 0; s < kChainStates; ++s) row.of[s] *= by.of[s];
  return row;
}

BEATSCAN_HOST_DEVICE inline ChainRow normalised(ChainRow row) {
  const double scale = 1 / (row.of[0] + row.of[1] + row.of[2]);
  for (double& value : row.of) value *= scale;
  return row;
}

}  // namespace beatscan
