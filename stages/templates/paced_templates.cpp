#include "stages/templates/paced_templates.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "stages/templates/beat_findings.h"
#include "stages/templates/finding_options.h"

namespace beatscan {
namespace {

// Sets paced beats to class Q, in templates of their own.
void part_templates(const GroupOptions& options, Findings& findings) {
  const std::size_t count = findings.groups.size();
  for (std::size_t g = 0; g < count; ++g) {
    if (findings.pacing[g].chamber != Chamber::ventricles) continue;
    std::vector<std::int64_t> with, without;
    for (std::int64_t k = 0; k < std::ssize(findings.beat_classes); ++k)
      if (findings.templates[k] == static_cast<std::int32_t>(g)) (findings.paced[k] ? with : without).push_back(k);
    const bool all = std::ssize(without) < options.fewest_beats || std::ssize(findings.groups) >= options.most;
    if (all) {
      findings.groups[g].beat_class = BeatClass::unknown;
      for (const std::int64_t k : without) findings.paced[k] = 1;
      continue;
    }
    for (const std::int64_t k : with) findings.templates[k] = static_cast<std::int32_t>(findings.groups.size());
    findings.groups.push_back({findings.groups[g].shape, BeatClass::unknown, std::ssize(with)});
    findings.groups[g].beats = std::ssize(without);
    findings.pacing.push_back(std::exchange(findings.pacing[g], {}));
  }
  for (std::size_t k = 0; k < findings.beat_classes.size(); ++k)
    if (findings.paced[k]) findings.beat_classes[k] = BeatClass::unknown;
}

// Puts the largest template first.
void sort_templates(Findings& findings) {
  const std::size_t count = findings.groups.size();
  std::vector<std::int32_t> order(count), place(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::int32_t g) { return findings.groups[g].beats; });
  std::vector<BeatGroup> groups;
  std::vector<Pacing> pacing;
  for (std::size_t i = 0; i < count; ++i) {
    place[order[i]] = static_cast<std::int32_t>(i);
    groups.push_back(findings.groups[order[i]]);
    pacing.push_back(findings.pacing[order[i]]);
  }
  findings.groups = std::move(groups);
  findings.pacing = std::move(pacing);
  for (std::int32_t& group : findings.templates)
    if (group >= 0) group = place[group];
}

}  // namespace

void part_paced_templates(const GroupOptions& options, Findings& findings) {
  part_templates(options, findings);
  sort_templates(findings);
}

}  // namespace beatscan
