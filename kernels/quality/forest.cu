#include "kernels/quality/forest_common.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan::quality {
namespace {

// One thread answers for one block.
__global__ void block_probabilities_kernel(ForestView forest, Calibration calibration, int width, std::int64_t rows,
                                           const float* features, float* probabilities) {
  const std::int64_t i = global_thread();
  if (i >= rows) return;
  float scores[kClasses];
  for (int c = 0; c < kClasses; ++c) scores[c] = forest.score(features + i * width, c);
  calibrate(scores, calibration, probabilities + i * kClasses);
}

}  // namespace

void block_probabilities(Cuda& cuda, const Forest<Cuda>& forest, const Calibration& calibration, int width,
                         std::span<const float> features, std::span<float> probabilities) {
  const ForestView view = view_of(forest);
  const std::int64_t rows = checked_rows(view, width, static_cast<std::int64_t>(features.size()),
                                         static_cast<std::int64_t>(probabilities.size()));
  if (rows == 0) return;
  launch(cuda, {blocks_for(rows)}, block_probabilities_kernel, view, calibration, width, rows, features.data(),
         probabilities.data());
}

}  // namespace beatscan::quality
