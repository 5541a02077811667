#include "stages/classify/class_chain.h"

#include <algorithm>
#include <cmath>

#include "stages/features/each_beat.h"
#include "stages/features/forward_backward.h"

namespace beatscan {
namespace {

using States = std::array<double, kChainStates>;

class PairWeights {
 public:
  explicit PairWeights(const ClassChain& chain) {
    for (int a = 0; a < kChainStates; ++a)
      for (int b = 0; b < kChainStates; ++b) weight_[a][b] = std::exp(chain.pair[a][b]);
  }
  States prior() const { return {1, 1, 1}; }
  States step(const States& before) const {
    States after{};
    for (int b = 0; b < kChainStates; ++b)
      for (int a = 0; a < kChainStates; ++a) after[b] += before[a] * weight_[a][b];
    return after;
  }
  States step_back(const States& after) const {
    States before{};
    for (int a = 0; a < kChainStates; ++a)
      for (int b = 0; b < kChainStates; ++b) before[a] += weight_[a][b] * after[b];
    return before;
  }

 private:
  std::array<States, kChainStates> weight_;
};

}  // namespace

std::vector<ChainOdds> chain_odds(std::span<const ChainOdds> odds, const ClassChain& chain) {
  const auto likelihood = of_each_beat<States>(std::ssize(odds), [&](std::int64_t i) {
    States own{0, chain.slope[0] * odds[i][0], chain.slope[1] * odds[i][1]};
    const double most = std::ranges::max(own);
    for (double& value : own) value = std::exp(value - most);
    return own;
  });
  const auto posteriors = state_posteriors(likelihood, PairWeights(chain));
  return of_each_beat<ChainOdds>(std::ssize(odds), [&](std::int64_t i) {
    const States& own = posteriors[i];
    return ChainOdds{std::log(own[1] / own[0]), std::log(own[2] / own[0])};
  });
}

}  // namespace beatscan
