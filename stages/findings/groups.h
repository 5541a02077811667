// stages/findings/groups.h — the templates that the user sees: beats of one shape and one kind.
//
// Early beats of the usual shape stand apart from the usual ones. A group of fewer beats than max(fewest_beats,
// least_share of all beats) goes to the group of its kind with the nearest shape; the largest group of each kind stays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/findings/beat_findings.h"

namespace beatscan {

struct GroupOptions;

struct BeatGroups {
  std::vector<BeatGroup> groups;       // the largest first
  std::vector<std::int32_t> group_of;  // [B]
};

// Groups B beats. Every beat keeps its kind.
//   template_of  [B]
//   kinds        [B]
//   distances    [T][T] between templates
BeatGroups groups_of(std::span<const std::uint8_t> template_of, std::span<const Kind> kinds,
                     const std::vector<std::vector<float>>& distances, const GroupOptions& options);

}  // namespace beatscan
