// stages/findings/groups.h — the templates that the user sees: beats of one shape and one kind.
//
// Early beats of the usual shape stand apart from the usual ones. A group of fewer beats than max(fewest_beats,
// least_share of all beats) goes to the group of its kind with the nearest shape; the largest group of each kind stays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/findings/kinds.h"

namespace beatscan {

struct GroupOptions {
  int fewest_beats = 3;
  double least_share = 0.001;
  int most = 40;  // number of groups, at least 5, so that each kind may have one
};

struct BeatGroup {
  std::int64_t shape = 0;  // the template of most of its beats
  Kind kind = Kind::normal;
  std::int64_t beats = 0;
};

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
