// kernels/beats/silence.h — where a lead says nothing, while other leads may.
#pragma once

#include <span>

#include "kernels/beats/detect.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

// Stretches of silence. Within `reach` samples of one, the lead is heard the more the farther away it is: so far
// filters carry what is at its ends.
struct Silence {
  Gaps missing;                        // without a value
  Gaps still;                          // the signal stays at one value
  std::span<const float> heard_still;  // [B] how much a still lead is heard, from 0 to 1: see still_leads()
  std::int64_t reach = 0;              // samples
};

inline constexpr float kLeastHeard = 1e-3f;  // how much a silent lead is heard: it decides where all are silent

namespace detection {

// The stretches of Gaps, for both back ends.
struct Stretches {
  const std::int64_t *firsts, *lasts;
  std::int64_t count;
  explicit Stretches(const Gaps& gaps)
      : firsts(gaps.firsts.data()), lasts(gaps.lasts.data()), count(static_cast<std::int64_t>(gaps.firsts.size())) {}
  // Returns how far away the nearest of them is, from 0 in one to 1 at `reach` samples and beyond.
  BEATSCAN_HOST_DEVICE float distance(std::int64_t sample, std::int64_t reach) const {
    const std::int64_t next = first_not_below(lasts, count, sample);
    std::int64_t away = reach;
    if (next > 0 && sample - lasts[next - 1] < away) away = sample - lasts[next - 1];
    if (next < count && firsts[next] - sample < away) away = firsts[next] > sample ? firsts[next] - sample : 0;
    return reach > 0 ? static_cast<float>(away) / static_cast<float>(reach) : 1;
  }
};

// How much a lead is heard, for both back ends.
struct Heard {
  Stretches missing, still;
  const float* heard_still;
  std::int64_t reach;
  explicit Heard(const Silence& silence)
      : missing(silence.missing), still(silence.still), heard_still(silence.heard_still.data()), reach(silence.reach) {}
  BEATSCAN_HOST_DEVICE float at(std::int64_t sample, std::int64_t block) const {
    float heard = missing.count > 0 ? missing.distance(sample, reach) : 1;
    if (still.count > 0) {
      const float apart = still.distance(sample, reach);
      heard *= apart + (1 - apart) * heard_still[block];
    }
    return heard < kLeastHeard ? kLeastHeard : heard;
  }
};

}  // namespace detection
}  // namespace beatscan
