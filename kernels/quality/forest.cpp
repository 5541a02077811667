#include "kernels/quality/forest.h"

#include <algorithm>
#include <vector>

#include "kernels/quality/forest_common.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"

namespace beatscan::quality {
namespace {

constexpr int kBatch = 64;  // rows

// Scores a batch of rows, whose features are side by side: x [width][kBatch]. All questions of a tree are asked for a
// vector of rows, and then the answers choose between values, from the last level to the first.
//   scores  [classes][kBatch]
struct ScoreBatch {
  template <int W>
  BEATSCAN_INLINE static void run(const ForestView& forest, const float* x, float* scores) {
    const int nodes = (1 << forest.depth) - 1;
    for (int first = 0; first < kBatch; first += W) {
      for (int t = 0; t < forest.trees; ++t) {
        Floats<W> chosen[1 << kMostDepth];
        const float* value = forest.value + t * (nodes + 1);
        for (int k = 0; k <= nodes; ++k) chosen[k] = Floats<W>{} + value[k];
        for (int level = forest.depth - 1; level >= 0; --level)
          for (int k = 0; k < 1 << level; ++k) {
            const int node = t * nodes + (1 << level) - 1 + k;
            const Floats<W> asked = load<W>(x + forest.feature[node] * kBatch + first);
            const Floats<W> left = chosen[2 * k], right = chosen[2 * k + 1];
            chosen[k] = asked > Floats<W>{} + forest.threshold[node] ? right : left;
          }
        float* score = scores + t % forest.classes * kBatch + first;
        store<W>(score, load<W>(score) + chosen[0]);
      }
    }
  }
};

}  // namespace

void block_probabilities(Cpu& cpu, const Forest<Cpu>& forest, const Calibration& calibration, int width,
                         std::span<const float> features, std::span<float> probabilities) {
  const ForestView view = view_of(forest);
  const std::int64_t rows = checked_rows(view, width, std::ssize(features), std::ssize(probabilities));
  parallel_for(cpu, rows, 2 * kBatch, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> x(static_cast<std::size_t>(width) * kBatch), scores(kClasses * kBatch);
    for (std::int64_t row = begin; row < end; row += kBatch) {
      const std::int64_t count = std::min<std::int64_t>(kBatch, end - row);
      for (std::int64_t i = 0; i < count; ++i)
        for (int f = 0; f < width; ++f) x[f * kBatch + i] = features[(row + i) * width + f];
      std::ranges::fill(scores, 0.0F);
      OnProcessor<ScoreBatch>::run<const ForestView&>(view, x.data(), scores.data());
      for (std::int64_t i = 0; i < count; ++i) {
        const float own[kClasses] = {scores[i], scores[kBatch + i], scores[2 * kBatch + i]};
        calibrate(own, calibration, probabilities.data() + (row + i) * kClasses);
      }
    }
  });
}

}  // namespace beatscan::quality
