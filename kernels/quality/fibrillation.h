// kernels/quality/fibrillation.h — how much the blocks of a lead look like ventricular fibrillation or flutter.
// docs/fibrillation.md has the method and its figures.
#pragma once

#include <span>

#include "kernels/quality/features.h"
#include "kernels/quality/forest.h"

namespace beatscan::quality {

// A row of the forest: the features of the block before a block, its own, and those of the block after it.
inline constexpr int kFibrillationReach = 1;  // blocks
inline constexpr int kFibrillationWidth = (2 * kFibrillationReach + 1) * kFeatures;

struct FibrillationScore {
  float score;        // of the forest: log odds before the calibration
  float leakage, hz;  // of the block, see Leakage
};

// Scores the blocks of a lead by a forest of one class. Beyond its ends a lead keeps its outermost block.
//   features  [K][kFeatures]
//   scores    [K]
void score_fibrillation(Cpu&, const Forest<Cpu>& forest, std::span<const float> features,
                        std::span<FibrillationScore> scores);
void score_fibrillation(Cuda&, const Forest<Cuda>& forest, std::span<const float> features,
                        std::span<FibrillationScore> scores);

}  // namespace beatscan::quality
