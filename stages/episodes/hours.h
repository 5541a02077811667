// stages/episodes/hours.h — what a recording holds, hour by hour from its start.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "stages/episodes/episodes.h"

namespace beatscan {

struct HourFacts {
  double from_s = 0;
  std::int64_t beats = 0;
  std::array<std::int64_t, kKinds> kinds{};  // beats of each kind, in the order of Kind
  std::optional<double> rate_bpm;            // by the median of the linked intervals that end in the hour
  double afib_s = 0, told_s = 0;             // of atrial fibrillation, and for how long that can be told
};

// Returns the facts of each hour of a recording of `samples` samples; the last hour may be shorter.
std::vector<HourFacts> hours_of(const RhythmBeats& beats, const Episodes& episodes, double samples);

// Seconds of atrial fibrillation in a recording, and for how long it can be told whether there is some.
struct AfBurden {
  double afib_s = 0, told_s = 0;
};
AfBurden burden_of(const Episodes& episodes, double sample_rate_hz);

}  // namespace beatscan
