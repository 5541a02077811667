#include "kernels/classify/tree_sums.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "tests/support/backends.h"

namespace beatscan {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Columns = std::vector<std::vector<float>>;

template <class Context>
class TreeSums : public OnBackend<Context> {
 protected:
  std::vector<double> sums(const BoostedTrees& trees, const Columns& columns) {
    Context& context = this->context();
    std::vector<Buffer<float, Context>> kept;
    std::vector<const float*> places;
    for (const auto& column : columns) places.push_back(kept.emplace_back(from_host(context, column)).data());
    Buffer<double, Context> found(context, std::ssize(columns.front()) * kTreeClasses);
    tree_sums(context, load_trees(context, trees), places, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(TreeSums, Backends, BackendNames);

// A tree that asks for column 0, and on the right for column 1; and trees of one leaf for the other classes.
BoostedTrees one_tree() {
  return {.first_split = {0, 2, 2, 2, 2},
          .splits = {{.threshold = 1, .column = 0, .right_leaves = 0b110, .nan_right = 0},
                     {.threshold = -2, .column = 1, .right_leaves = 0b101, .nan_right = 1}},
          .leaves = {10, 20, 30, 1, 2, 3}};
}

TYPED_TEST(TreeSums, ComeToTheLeafOfEachRow) {
  const auto found = this->sums(one_tree(), {{1, 1.5, 1.5, kNan, 5, 0}, {0, -2, -1, 0, kNan, kNan}});
  const double expected[] = {10, 20, 30, 10, 30, 10};
  ASSERT_EQ(found.size(), 24U);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(found[4 * i], expected[i]) << i;
    for (int c = 1; c < 4; ++c) EXPECT_EQ(found[4 * i + c], c);
  }
}

TYPED_TEST(TreeSums, OfNoRowsAreEmpty) { EXPECT_TRUE(this->sums(one_tree(), {{}, {}}).empty()); }

// Grows a tree of so many leaves below a node whose leaves are first .. first + leaves - 1, and returns the leaf of
// each row, which are those of `rows`.
struct Grown {
  std::mt19937& random;
  const Columns& columns;
  BoostedTrees& trees;
  std::vector<int>& leaf_of;

  void grow(const std::vector<int>& rows, int first, int leaves) {
    if (leaves == 1) {
      for (const int row : rows) leaf_of[row] = first;
      return;
    }
    const int left = 1 + static_cast<int>(random() % (leaves - 1));
    std::uint32_t ruled_out = 0;
    for (int k = first; k < first + left; ++k) ruled_out |= 1u << k;
    const TreeSplit split{.threshold = static_cast<float>(random() % 9) - 4,
                          .column = static_cast<std::int32_t>(random() % columns.size()),
                          .right_leaves = ~ruled_out,
                          .nan_right = static_cast<std::uint32_t>(random() % 2)};
    trees.splits.push_back(split);
    std::vector<int> to_left, to_right;
    for (const int row : rows) {
      const float value = columns[split.column][row];
      const bool right = std::isnan(value) ? split.nan_right != 0 : value > split.threshold;
      (right ? to_right : to_left).push_back(row);
    }
    grow(to_left, first, left);
    grow(to_right, first + left, leaves - left);
  }
};

// Compares trees of 1 to 32 leaves with a walk from the root, for numbers of rows that fill vectors and that do not.
TYPED_TEST(TreeSums, AreThoseOfAWalkFromTheRoot) {
  std::mt19937 random(5);
  for (const int rows : {1, 17, 64, 200, 1111}) {
    Columns columns(7, std::vector<float>(rows));
    for (auto& column : columns)
      for (float& value : column) value = random() % 8 == 0 ? kNan : static_cast<float>(random() % 90) / 10 - 4;
    std::vector<int> all(rows);
    for (int i = 0; i < rows; ++i) all[i] = i;
    BoostedTrees trees;
    std::vector<double> expected(rows * kTreeClasses);
    for (int t = 0; t < 90; ++t) {
      const int leaves = 1 + t % kMostLeaves;
      std::vector<int> leaf_of(rows);
      Grown{random, columns, trees, leaf_of}.grow(all, 0, leaves);
      trees.first_split.push_back(static_cast<std::int32_t>(trees.splits.size()));
      const auto first = trees.leaves.size();
      for (int k = 0; k < leaves; ++k) trees.leaves.push_back(static_cast<float>(random() % 1000) / 999);
      for (int i = 0; i < rows; ++i) expected[i * kTreeClasses + t % kTreeClasses] += trees.leaves[first + leaf_of[i]];
    }
    EXPECT_EQ(this->sums(trees, columns), expected) << rows;
  }
}

}  // namespace
}  // namespace beatscan
