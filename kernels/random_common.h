// kernels/random_common.h — one sort key and one pair of normal values, for both back ends.
#pragma once

#include <cmath>

#include "kernels/random.h"

namespace beatscan {

// Random in the high word, the item itself in the low one: keys of different items differ, so the order is unique.
// items: nullptr where item i is i.
BEATSCAN_HOST_DEVICE inline std::uint64_t shuffle_key(RandomKey key, const std::int32_t* items, std::int64_t i) {
  return static_cast<std::uint64_t>(random_words(key, i).word[0]) << 32 |
         static_cast<std::uint32_t>(items ? items[i] : i);
}

struct NormalPair {
  float first, second;
};

BEATSCAN_HOST_DEVICE inline NormalPair normal_pair(RandomKey key, std::int64_t i) {
  const PhiloxWords words = random_words(key, i);
  const float uniform =
      (static_cast<float>(words.word[0] >> 8) + 0.5f) * 0x1p-24f;  // above 0, so that its logarithm is finite
  const float angle = static_cast<float>(words.word[1] >> 8) * (6.283185307179586f * 0x1p-24f);
  const float radius = sqrtf(-2.0f * logf(uniform));
  return {radius * cosf(angle), radius * sinf(angle)};
}

}  // namespace beatscan
