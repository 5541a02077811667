#include "kernels/classify/tree_sums.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {
namespace {

// One thread adds up the trees for one row. All threads of a warp read the same split, and neighbouring values.
__global__ void tree_sums_kernel(TreesView trees, const float* const* columns, std::int64_t rows, double* sums) {
  const std::int64_t i = global_thread();
  if (i >= rows) return;
  double of_row[kTreeClasses] = {};
  for (std::int64_t t = 0; t < trees.trees; t += kTreeClasses)
#pragma unroll
    for (int c = 0; c < kTreeClasses; ++c)
      if (t + c < trees.trees) of_row[c] += static_cast<double>(trees.leaf(t + c, columns, i));
  for (int c = 0; c < kTreeClasses; ++c) sums[i * kTreeClasses + c] = of_row[c];
}

}  // namespace

void tree_sums(Cuda& cuda, const LoadedTrees<Cuda>& trees, std::span<const float* const> columns,
               std::span<double> sums) {
  BEATSCAN_EXPECTS(sums.size() % kTreeClasses == 0, "tree_sums: bad shape");
  if (sums.empty()) return;
  const Buffer<const float*, Cuda> places = from_host(cuda, std::vector(columns.begin(), columns.end()));
  const auto rows = static_cast<std::int64_t>(sums.size()) / kTreeClasses;
  launch(cuda, {blocks_for(rows)}, tree_sums_kernel, view_of(trees), places.data(), rows, sums.data());
}

}  // namespace beatscan
