// kernels/classify/tree_sums.h — sums of the leaves of boosted trees, for every row of a table of columns.
//
// The leaves of a tree are numbered from left to right. A split that sends a row to the right rules out the leaves on
// its left side, and the row's leaf is the first one that no split rules out (QuickScorer, Lucchese et al., SIGIR 2015,
// 73-82). All splits are compared, without branches on the data, so that many rows go in parallel through the same
// tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

inline constexpr int kTreeClasses = 4, kMostLeaves = 32;

// A row goes to the left if its value is at most the threshold. A value that is missing (NaN) goes to the right if
// `nan_right` is not 0.
struct TreeSplit {
  float threshold;
  std::int32_t column;
  std::uint32_t right_leaves;  // bit k: leaf k is not on the left side of this split
  std::uint32_t nan_right;
};

// Trees of kTreeClasses classes in turn: tree t is of class t modulo kTreeClasses. The splits of a tree may have any
// order.
struct BoostedTrees {
  std::vector<std::int32_t> first_split{0};  // [T + 1]
  std::vector<TreeSplit> splits;
  std::vector<float> leaves;                                              // those of tree t begin at first_split[t] + t
  int trees() const { return static_cast<int>(first_split.size()) - 1; }  // T
};

// Trees in the context's memory.
template <class Context>
struct LoadedTrees {
  std::int64_t trees;
  Buffer<std::int32_t, Context> first_split;
  Buffer<TreeSplit, Context> splits;
  Buffer<float, Context> leaves;  // and kMostLeaves more, which are read and not used
};
template <class Context>
LoadedTrees<Context> load_trees(Context& context, const BoostedTrees& trees) {
  auto leaves = trees.leaves;
  leaves.resize(leaves.size() + kMostLeaves);
  return {trees.trees(), from_host(context, trees.first_split), from_host(context, trees.splits),
          from_host(context, leaves)};
}

// sums[i][c] = sum of the leaves of row i over the trees of class c, from the first one on, in double precision.
//   columns  [C] the values of each column in the context's memory, [K]
//   sums     [K][kTreeClasses]
// Both back ends and any number of threads give the same bits.
void tree_sums(Cpu&, const LoadedTrees<Cpu>& trees, std::span<const float* const> columns, std::span<double> sums);
void tree_sums(Cuda&, const LoadedTrees<Cuda>& trees, std::span<const float* const> columns, std::span<double> sums);

// Trees as kernels read them.
struct TreesView {
  std::int64_t trees;
  const std::int32_t* first_split;
  const TreeSplit* splits;
  const float* leaves;

  // Returns the leaf of a row in tree t.
  BEATSCAN_HOST_DEVICE float leaf(std::int64_t t, const float* const* columns, std::int64_t row) const {
    std::uint32_t left = ~0u;
    const std::int32_t first = first_split[t], last = first_split[t + 1];
    for (std::int32_t s = first; s < last; ++s) {
      const TreeSplit split = splits[s];
      const float value = columns[split.column][row];
      const bool right = split.nan_right ? !(value <= split.threshold) : value > split.threshold;
      left &= right ? split.right_leaves : ~0u;
    }
#ifdef __CUDA_ARCH__
    const int place = __ffs(static_cast<int>(left)) - 1;
#else
    const int place = __builtin_ctz(left);
#endif
    return leaves[first + t + place];
  }
};
template <class Context>
TreesView view_of(const LoadedTrees<Context>& trees) {
  return {trees.trees, trees.first_split.data(), trees.splits.data(), trees.leaves.data()};
}

}  // namespace beatscan
