// kernels/quality/forest_common.h — what both back ends of forest.h share.
#pragma once

#include <cmath>

#include "kernels/quality/forest.h"
#include "kernels/runtime/error.h"

namespace beatscan::quality {

inline constexpr double kMostLogOdds = 16;

// Turns the scores of a block into probabilities.
BEATSCAN_HOST_DEVICE inline void calibrate(const float* scores, const Calibration& calibration, float* probabilities) {
  const double noise = scores[kNoise], lost = scores[kLost], most = noise > lost ? noise : lost;
  const double e_noise = exp(noise - most), e_lost = exp(lost - most), others = e_noise + e_lost;
  double odds = scores[kGood] - (most + log(others));
  odds = odds > kMostLogOdds ? kMostLogOdds : odds < -kMostLogOdds ? -kMostLogOdds : odds;
  const double size = exp(calibration.scale * odds + calibration.offset), rest = 1 / (1 + size);
  probabilities[kGood] = static_cast<float>(size * rest);
  probabilities[kNoise] = static_cast<float>(rest * (e_noise / others));
  probabilities[kLost] = static_cast<float>(rest * (e_lost / others));
}

inline std::int64_t checked_rows(const ForestView& forest, int width, std::int64_t features,
                                 std::int64_t probabilities) {
  const std::int64_t rows = probabilities / kClasses;
  BEATSCAN_EXPECTS(forest.classes == kClasses && forest.depth >= 1 && forest.depth <= kMostDepth && width > 0 &&
                       features == rows * width && probabilities == rows * kClasses,
                   "block_probabilities: bad shape");
  return rows;
}

}  // namespace beatscan::quality
