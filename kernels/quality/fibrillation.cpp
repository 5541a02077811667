#include "kernels/quality/fibrillation.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan::quality {
namespace {

BEATSCAN_HOST_DEVICE inline void fill_context(const float* features, std::int64_t blocks, std::int64_t block,
                                              float* row) {
  for (std::int64_t b = block - kFibrillationReach; b <= block + kFibrillationReach; ++b) {
    const float* own = features + (b < 0 ? 0 : b < blocks ? b : blocks - 1) * kFeatures;
    for (int f = 0; f < kFeatures; ++f) *row++ = own[f];
  }
}

}  // namespace

void score_fibrillation(BackEnd& on, const Forest<BackEnd>& forest, std::span<const float> features,
                        std::span<FibrillationScore> scores) {
  const auto blocks = static_cast<std::int64_t>(scores.size());
  BEATSCAN_EXPECTS(forest.classes == 1 && static_cast<std::int64_t>(features.size()) == blocks * kFeatures,
                   "score_fibrillation: bad shape");
  each(
      on, blocks,
      [view = view_of(forest), blocks, features = features.data(),
       scores = scores.data()] BEATSCAN_DEVICE(std::int64_t block) {
        float row[kFibrillationWidth];
        fill_context(features, blocks, block, row);
        const float* own = features + block * kFeatures;
        scores[block] = {view.score(row, 0), own[kLeakage], own[kHz]};
      },
      512);
}

}  // namespace beatscan::quality
