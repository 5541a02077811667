// stages/templates/groups.h — the templates that the user sees: beats of one shape and one beat class.
//
// Premature beats of the dominant morphology form a template of their own. A group of fewer beats than
// max(fewest_beats, least_share of all beats) joins the group of its beat class with the nearest shape; the largest
// group of each beat class remains.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/templates/beat_findings.h"

namespace beatscan {

struct GroupOptions;

struct BeatGroups {
  std::vector<BeatGroup> groups;       // the largest first
  std::vector<std::int32_t> group_of;  // [B]
};

// Groups B beats. Every beat keeps its class.
//   template_of  [B]
//   classes        [B]
//   distances    [T][T] between templates
BeatGroups groups_of(std::span<const std::uint8_t> template_of, std::span<const BeatClass> beat_classes,
                     const std::vector<std::vector<float>>& distances, const GroupOptions& options);

}  // namespace beatscan
