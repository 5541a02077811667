#include "kernels/classify/tree_sums.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"

namespace beatscan {
namespace {

constexpr int kVectors = 4;                       // of rows that go through a tree at a time
constexpr std::size_t kMostRows = kVectors * 16;  // in the widest vectors
constexpr std::int64_t kGrain = 512;

template <int W>
BEATSCAN_INLINE Ints<W> bits_of_vector(Floats<W> vector) {
  Ints<W> bits;
  __builtin_memcpy(&bits, &vector, sizeof bits);
  return bits;
}

// Returns the place of the lowest bit of each lane, by the exponent of its value as a float.
template <int W>
BEATSCAN_INLINE Ints<W> lowest_bit(Ints<W> bits) {
  const Floats<W> power = __builtin_convertvector(bits & -bits, Floats<W>);
  return ((bits_of_vector<W>(power) >> 23) & 255) - 127;
}

// Returns the leaves at some places; one shuffle where all leaves fit in a vector.
template <int W>
BEATSCAN_INLINE Floats<W> leaves_at(const float* leaves, [[maybe_unused]] int count, Ints<W> places) {
#if __has_builtin(__builtin_shuffle)  // of GCC; the loop gives the same bits
  if (W >= 8 && count <= W) return __builtin_shuffle(load<W>(leaves), places);
#endif
  Floats<W> found;
  for (int lane = 0; lane < W; ++lane) found[lane] = leaves[places[lane]];
  return found;
}

// Adds to the sums of W rows.
template <int W>
BEATSCAN_INLINE void add_leaves(Floats<W> leaves, double* sums) {
  store<W>(sums, load<W>(sums) + __builtin_convertvector(first_half(leaves), Doubles<W>));
  store<W>(sums + W / 2, load<W>(sums + W / 2) + __builtin_convertvector(second_half(leaves), Doubles<W>));
}

// Adds the leaves of kVectors * W rows to their sums.
//   tile  [C][kVectors * W] the rows' values, column by column
template <int W>
BEATSCAN_INLINE void add_tree(const TreesView& trees, std::int64_t t, const float* tile, double* sums) {
  const std::int32_t first = trees.first_split[t], last = trees.first_split[t + 1];
  Ints<W> left[kVectors];
  for (auto& of : left) of = Ints<W>{} - 1;
  for (std::int32_t s = first; s < last; ++s) {
    const TreeSplit& split = trees.splits[s];
    const float* values = tile + split.column * (kVectors * W);
    const Floats<W> threshold = Floats<W>{} + split.threshold;
    const Ints<W> others = Ints<W>{} + static_cast<int>(split.right_leaves);
    if (split.nan_right != 0)
      for (int v = 0; v < kVectors; ++v) left[v] = load<W>(values + v * W) <= threshold ? left[v] : left[v] & others;
    else
      for (int v = 0; v < kVectors; ++v) left[v] = load<W>(values + v * W) > threshold ? left[v] & others : left[v];
  }
  for (int v = 0; v < kVectors; ++v) {
    const Floats<W> leaves = leaves_at<W>(trees.leaves + first + t, last - first + 1, lowest_bit<W>(left[v]));
    add_leaves<W>(leaves, sums + v * W);
  }
}

struct SumTrees {
  template <int W>
  BEATSCAN_INLINE static void run(TreesView trees, const float* const* columns, std::size_t count, float* tile,
                                  std::int64_t first, std::int64_t last, double* sums) {
    constexpr int kRows = kVectors * W;
    std::int64_t row = first;
    for (; row + kRows <= last; row += kRows) {
      for (std::size_t c = 0; c < count; ++c) std::copy_n(columns[c] + row, kRows, tile + c * kRows);
      double of_rows[kTreeClasses][kRows] = {};
      for (std::int64_t t = 0; t < trees.trees; ++t) add_tree<W>(trees, t, tile, of_rows[t % kTreeClasses]);
      for (int i = 0; i < kRows; ++i)
        for (int c = 0; c < kTreeClasses; ++c) sums[(row + i) * kTreeClasses + c] = of_rows[c][i];
    }
    for (; row < last; ++row) {
      double* of_row = sums + row * kTreeClasses;
      std::fill_n(of_row, kTreeClasses, 0.0);
      for (std::int64_t t = 0; t < trees.trees; ++t)
        of_row[t % kTreeClasses] += static_cast<double>(trees.leaf(t, columns, row));
    }
  }
};

}  // namespace

void tree_sums(Cpu& cpu, const LoadedTrees<Cpu>& trees, std::span<const float* const> columns, std::span<double> sums) {
  BEATSCAN_EXPECTS(sums.size() % kTreeClasses == 0, "tree_sums: bad shape");
  parallel_for(cpu, std::ssize(sums) / kTreeClasses, kGrain, [&](std::int64_t first, std::int64_t last) {
    // Some rows at a time are brought together: long columns begin at the same place of a page, so that their rows
    // would drive each other out of the first-level cache.
    std::vector<float> tile(columns.size() * kMostRows);
    OnProcessor<SumTrees>::run(view_of(trees), columns.data(), columns.size(), tile.data(), first, last, sums.data());
  });
}

}  // namespace beatscan
