// kernels/quality/forest.h — forests of complete decision trees, and the probabilities of blocks.
//
// Node k of a tree has the children 2 k + 1 (its feature is at most its threshold) and 2 k + 2. Behind the last level
// of nodes are 2^depth values. Tree t adds its value to the score of class t modulo the number of classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/portable.h"

namespace beatscan::quality {

inline constexpr int kMostDepth = 6, kMostTrees = 4096;

// A forest on the host.
struct ForestModel {
  int depth = 0, classes = 0;
  std::vector<std::int32_t> feature;  // [T][2^depth - 1]
  std::vector<float> threshold;       // [T][2^depth - 1]
  std::vector<float> value;           // [T][2^depth]
  int nodes() const { return (1 << depth) - 1; }
  int trees() const { return static_cast<int>(value.size() >> depth); }  // T
};

template <class Context>
struct Forest {
  int depth, classes, trees;
  Buffer<std::int32_t, Context> feature;
  Buffer<float, Context> threshold, value;
};
template <class Context>
Forest<Context> load_forest(Context& context, const ForestModel& model) {
  return {model.depth,
          model.classes,
          model.trees(),
          from_host(context, model.feature),
          from_host(context, model.threshold),
          from_host(context, model.value)};
}

// Scales and moves the log odds of *good*.
struct Calibration {
  double scale = 1, offset = 0;
};

enum Class : int { kGood, kNoise, kLost, kClasses };

// The forest of kClasses classes answers for each block. Its softmax gives probabilities. The calibration scales and
// moves the log odds of *good*, limited to 16; *noise* and *lost* keep their ratio.
//   features       [K][width]
//   probabilities  [K][kClasses]
void block_probabilities(Cpu&, const Forest<Cpu>& forest, const Calibration& calibration, int width,
                         std::span<const float> features, std::span<float> probabilities);
void block_probabilities(Cuda&, const Forest<Cuda>& forest, const Calibration& calibration, int width,
                         std::span<const float> features, std::span<float> probabilities);

// A forest as kernels read it.
struct ForestView {
  int depth, classes, trees;
  const std::int32_t* feature;
  const float *threshold, *value;

  // Returns the score of a class for one row.
  BEATSCAN_HOST_DEVICE float score(const float* row, int of_class) const {
    float sum = 0;
    const int nodes = (1 << depth) - 1;
    for (int t = of_class; t < trees; t += classes) {
      int node = 0;
      for (int level = 0; level < depth; ++level) {
        const int at = t * nodes + node;
        node = 2 * node + 1 + (row[feature[at]] > threshold[at] ? 1 : 0);
      }
      sum = sum + value[t * (nodes + 1) + node - nodes];
    }
    return sum;
  }
};
template <class Context>
ForestView view_of(const Forest<Context>& forest) {
  return {forest.depth,          forest.classes,          forest.trees,
          forest.feature.data(), forest.threshold.data(), forest.value.data()};
}

}  // namespace beatscan::quality
