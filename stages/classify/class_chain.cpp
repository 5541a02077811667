#include "stages/classify/class_chain.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"

namespace beatscan {

namespace {

static_assert(kTreeClasses == kPosteriorClasses);

class TreeOrder {
 public:
  TreeOrder(const ClassTrees& from, std::size_t tree, BoostedTrees& to)
      : from_(from),
        split_(from.first_split[tree]),
        leaf_(from.first_leaf[tree]),
        first_leaf_(std::ssize(to.leaves)),
        to_(to) {}

  // Adds the splits and leaves below a child: a split of 0 and more, or leaf -1 - child.
  void add(int child) {
    if (child < 0) {
      to_.leaves.push_back(from_.leaf[leaf_ - 1 - child]);
      return;
    }
    const std::size_t at = split_ + child, place = to_.splits.size();
    to_.splits.push_back({.threshold = from_.threshold[at],
                          .column = from_.feature[at],
                          .right_leaves = 0,
                          .nan_right = from_.nan_left[at] == 0});
    const std::uint32_t before = leaves_so_far();
    add(from_.left[at]);
    to_.splits[place].right_leaves = before | ~leaves_so_far();
    add(from_.right[at]);
  }

 private:
  // Returns the bits of the leaves that were added.
  std::uint32_t leaves_so_far() const {
    const std::int64_t count = std::ssize(to_.leaves) - first_leaf_;
    BEATSCAN_EXPECTS(count <= kMostLeaves, "boosted_trees: a tree has too many leaves");
    return count == 32 ? ~0u : (1u << count) - 1;
  }

  const ClassTrees& from_;
  std::int32_t split_, leaf_;
  std::int64_t first_leaf_;
  BoostedTrees& to_;
};

}  // namespace

BoostedTrees boosted_trees(const ClassTrees& trees) {
  BoostedTrees found;
  for (std::size_t t = 0; t < trees.first_split.size(); ++t) {
    const auto last = t + 1 < trees.first_split.size() ? trees.first_split[t + 1] : std::ssize(trees.feature);
    TreeOrder(trees, t, found).add(trees.first_split[t] == last ? -1 : 0);
    found.first_split.push_back(static_cast<std::int32_t>(found.splits.size()));
  }
  return found;
}

template <class Context>
void chain_odds(Context& context, const ClassChain& chain, std::span<double> odds) {
  ChainModel model{};
  std::ranges::copy(chain.slope, model.slope);
  for (int a = 0; a < kChainStates; ++a)
    for (int b = 0; b < kChainStates; ++b) model.weights.weight[a][b] = std::exp(chain.pair[a][b]);
  chain_odds(context, model, odds);
}

#define BEATSCAN_CHAIN_ODDS(Context) template void chain_odds(Context&, const ClassChain&, std::span<double>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_CHAIN_ODDS)

}  // namespace beatscan
