// stages/beats/beat_heights.h — how high the envelope of a lead is at beats, compared with what is usual in that lead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/beats/quality_class.h"
#include "stages/common/robust.h"

namespace beatscan {

inline constexpr float kFaintShare = 0.25F;  // of the usual height; a lead does not show a beat that is lower
inline constexpr float kShownShare = 0.5F;   // of the usual height; a lead shows a beat that is as high
inline constexpr float kPlainOver = 3;       // a small beat that is so much higher than what lies beside is plain

// Returns the median height of the beats in good signal of a lead; 0 where fewer than 20 beats tell it.
//   heights, quality  [K]
inline float usual_height(std::span<const float> heights, std::span<const Quality> quality) {
  constexpr std::size_t kFewest = 20;
  std::vector<double> good;
  for (std::size_t k = 0; k < heights.size(); ++k)
    if (quality[k] == Quality::good) good.push_back(heights[k]);
  return good.size() < kFewest ? 0 : static_cast<float>(quantile(good, 0.5));
}

}  // namespace beatscan
