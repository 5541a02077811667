// kernels/detect/silence.h — the stretches in which a lead shows no cardiac signal, while other leads may.
#pragma once

#include <span>

#include "kernels/detect/detect.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

// The stretches of silence of a lead. Filters spread the signal at the ends of a stretch over `reach` samples. So
// within that distance of a stretch where the lead is off, it counts the less, the nearer the stretch is. A still
// stretch may be an isoelectric line next to a QRS complex.
struct Silence {
  Gaps off;                            // no signal: the lead hardly counts there
  Gaps still;                          // the signal stays at one value: the lead is off, or isoelectric
  std::span<const float> heard_still;  // [B] how much a still lead counts, from 0 to 1: see still_leads()
  std::int64_t reach = 1;              // samples, at least 1
};

inline constexpr float kLeastHeard = 1e-3f;  // how much a silent lead counts: it decides where all are silent

namespace detection {

// The stretches of Gaps, for both back ends.
struct Stretches {
  const std::int64_t *firsts, *lasts;
  std::int64_t count;
  explicit Stretches(const Gaps& gaps)
      : firsts(gaps.firsts.data()), lasts(gaps.lasts.data()), count(static_cast<std::int64_t>(gaps.firsts.size())) {}
  BEATSCAN_HOST_DEVICE bool hold(std::int64_t sample) const {
    const std::int64_t next = count > 0 ? first_not_below(lasts, count, sample) : 0;
    return next < count && firsts[next] <= sample;
  }
  // Returns how far away the nearest of them is, from 0 in one to 1 at `reach` samples and beyond.
  BEATSCAN_HOST_DEVICE float distance(std::int64_t sample, std::int64_t reach) const {
    const std::int64_t next = first_not_below(lasts, count, sample);
    std::int64_t away = reach;
    if (next > 0 && sample - lasts[next - 1] < away) away = sample - lasts[next - 1];
    if (next < count && firsts[next] - sample < away) away = firsts[next] > sample ? firsts[next] - sample : 0;
    return static_cast<float>(away) / static_cast<float>(reach);
  }
};

// Computes how much a lead counts, for both back ends.
struct Heard {
  Stretches off, still;
  const float* heard_still;
  std::int64_t reach;
  explicit Heard(const Silence& silence)
      : off(silence.off), still(silence.still), heard_still(silence.heard_still.data()), reach(silence.reach) {}
  BEATSCAN_HOST_DEVICE float at(std::int64_t sample, std::int64_t block) const {
    float heard = off.count > 0 ? off.distance(sample, reach) : 1;
    if (still.hold(sample)) heard *= heard_still[block];
    return heard < kLeastHeard ? kLeastHeard : heard;
  }
};

}  // namespace detection
}  // namespace beatscan
