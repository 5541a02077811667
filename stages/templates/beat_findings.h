// stages/templates/beat_findings.h — the classes and the templates of the beats of a recording.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/templates/beat_class.h"
#include "stages/templates/chamber.h"

namespace beatscan {

struct BeatGroup {
  std::int64_t shape = 0;  // the template of most of its beats
  BeatClass beat_class = BeatClass::normal;
  std::int64_t beats = 0;
};

// The classification of the beats, on the host.
struct Findings {
  std::vector<BeatClass> beat_classes;   // [K] the most probable class of each detected beat
  std::vector<std::int32_t> templates;   // [K] places in `groups`; -1 for a beat that was not kept
  std::vector<BeatGroup> groups;         // the templates, the largest first
  std::vector<Pacing> pacing = {};       // [groups] (pacing.h); empty: undetermined
  std::vector<std::uint8_t> paced = {};  // [K] 1 where the ventricles are paced; empty if none is
  std::vector<float> posteriors = {};    // [K][4] of N, S, V and of a false detection (stages/classify)

  bool is_paced(std::int64_t beat) const { return !paced.empty() && paced[beat] != 0; }
};

}  // namespace beatscan
