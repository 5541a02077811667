#include "stages/classify/findings.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/runtime/error.h"
#include "stages/classify/beat_findings.h"
#include "stages/classify/pacing.h"
#include "stages/classify/templates.h"
#include "stages/detect/beat_list.h"

namespace beatscan {

namespace {

// Returns the place of a template and beat class in a list of all pairs of both.
std::int64_t place_of(std::int64_t shape, BeatClass beat_class) {
  return shape * kBeatClassCount + static_cast<int>(beat_class);
}

// Counts the beats of each template and beat class. Returns the groups in the order of their size.
std::vector<BeatGroup> pairs_of(std::span<const std::uint8_t> template_of, std::span<const BeatClass> beat_classes,
                                std::int64_t templates) {
  std::vector<std::int64_t> counts(templates * kBeatClassCount);
  for (std::size_t b = 0; b < beat_classes.size(); ++b) ++counts[place_of(template_of[b], beat_classes[b])];
  std::vector<BeatGroup> pairs;
  for (std::int64_t i = 0; i < std::ssize(counts); ++i)
    if (counts[i] > 0) pairs.push_back({i / kBeatClassCount, static_cast<BeatClass>(i % kBeatClassCount), counts[i]});
  std::ranges::stable_sort(pairs, std::ranges::greater(), &BeatGroup::beats);
  return pairs;
}

// Returns the groups that remain: the largest of each beat class, and of the rest those that are large enough.
std::vector<BeatGroup> groups_that_stay(const std::vector<BeatGroup>& pairs, std::int64_t beats,
                                        const GroupOptions& options) {
  const double least =
      std::max(static_cast<double>(options.fewest_beats), options.least_share * static_cast<double>(beats));
  std::array<bool, kBeatClassCount> seen{};
  std::vector<BeatGroup> first, rest;
  for (const BeatGroup& pair : pairs) {
    bool& is_seen = seen[static_cast<int>(pair.beat_class)];
    if (!is_seen)
      first.push_back(pair);
    else if (static_cast<double>(pair.beats) >= least)
      rest.push_back(pair);
    is_seen = true;
  }
  rest.resize(std::min(rest.size(), static_cast<std::size_t>(options.most) - first.size()));
  first.insert(first.end(), rest.begin(), rest.end());
  std::ranges::stable_sort(first, std::ranges::greater(), &BeatGroup::beats);
  return first;
}

// Returns the group that beats of this template and beat class belong to.
std::int32_t group_for(const BeatGroup& pair, const std::vector<BeatGroup>& groups,
                       const std::vector<std::vector<float>>& distances) {
  std::int32_t best = -1;
  for (std::int32_t g = 0; g < std::ssize(groups); ++g) {
    if (groups[g].beat_class != pair.beat_class) continue;
    if (groups[g].shape == pair.shape) return g;
    if (best < 0 || distances[pair.shape][groups[g].shape] < distances[pair.shape][groups[best].shape]) best = g;
  }
  return best;
}

}  // namespace

BeatGroups groups_of(std::span<const std::uint8_t> template_of, std::span<const BeatClass> beat_classes,
                     const std::vector<std::vector<float>>& distances, const GroupOptions& options) {
  BEATSCAN_EXPECTS(template_of.size() == beat_classes.size() && options.most >= kBeatClassCount,
                   "groups_of: bad shape or option");
  const std::int64_t templates = std::ssize(distances);
  const auto pairs = pairs_of(template_of, beat_classes, templates);
  std::vector<BeatGroup> groups = groups_that_stay(pairs, std::ssize(beat_classes), options);
  for (BeatGroup& group : groups) group.beats = 0;
  std::vector<std::int32_t> group_of_pair(templates * kBeatClassCount);
  for (const BeatGroup& pair : pairs) {
    const std::int32_t g = group_for(pair, groups, distances);
    group_of_pair[place_of(pair.shape, pair.beat_class)] = g;
    groups[g].beats += pair.beats;
  }
  std::vector<std::int32_t> order(groups.size()), rank(groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::int32_t g) { return groups[g].beats; });
  BeatGroups result;
  for (const std::int32_t g : order) {
    rank[g] = static_cast<std::int32_t>(result.groups.size());
    result.groups.push_back(groups[g]);
  }
  for (const BeatGroup& pair : pairs) {
    std::int32_t& g = group_of_pair[place_of(pair.shape, pair.beat_class)];
    g = rank[g];
  }
  result.group_of.resize(beat_classes.size());
  for (std::size_t b = 0; b < beat_classes.size(); ++b)
    result.group_of[b] = group_of_pair[place_of(template_of[b], beat_classes[b])];
  return result;
}

namespace {

// Returns the class of the largest posterior.
BeatClass class_of(const float* posteriors) {
  constexpr std::array beat_classes{BeatClass::normal, BeatClass::supraventricular, BeatClass::ventricular,
                                    BeatClass::unknown};
  static_assert(beat_classes.size() == kPosteriorClasses && kClassX == 3);
  return beat_classes[std::max_element(posteriors, posteriors + kPosteriorClasses) - posteriors];
}

}  // namespace

template <class Context>
BeatTemplates<Context> templates_of_rows(Context& context, const EmbeddedBeats<Context>& embedded,
                                         const RowOptions& rows, const BeatList& beats,
                                         std::span<const std::int64_t> kept, std::span<const float> waveform,
                                         const TemplateOptions& options) {
  std::vector<std::uint8_t> good;
  good.reserve(kept.size());
  for (const std::int64_t i : kept) good.push_back(beats.quality[i] == Quality::good);
  return templates_of(context, embedded, rows, {good, waveform}, options);
}

template <class Context>
Findings findings_of(const BeatTemplates<Context>& templates, std::span<const std::int64_t> kept,
                     std::vector<float> posteriors, const BeatImpulses& impulses, double sample_rate_hz,
                     const GroupOptions& options) {
  BEATSCAN_EXPECTS(templates.template_of.size() == kept.size() && posteriors.size() % kPosteriorClasses == 0,
                   "findings_of: bad shape");
  const std::int64_t beats = std::ssize(posteriors) / kPosteriorClasses;
  Findings findings{.beat_classes = std::vector<BeatClass>(beats), .templates = std::vector<std::int32_t>(beats, -1)};
  for (std::int64_t i = 0; i < beats; ++i) findings.beat_classes[i] = class_of(&posteriors[i * kPosteriorClasses]);
  findings.posteriors = std::move(posteriors);
  std::vector<BeatClass> of_rows;
  of_rows.reserve(kept.size());
  for (const std::int64_t i : kept) of_rows.push_back(findings.beat_classes[i]);
  auto grouped = groups_of(templates.template_of, of_rows,
                           distances_between(templates.centres, templates.width, templates.floor), options);
  for (std::size_t b = 0; b < kept.size(); ++b) findings.templates[kept[b]] = grouped.group_of[b];
  findings.groups = std::move(grouped.groups);
  find_paced(impulses, sample_rate_hz, options, findings);
  return findings;
}

#define BEATSCAN_FINDINGS_OF(Context)                                                                             \
  template BeatTemplates<Context> templates_of_rows(Context&, const EmbeddedBeats<Context>&, const RowOptions&,   \
                                                    const BeatList&, std::span<const std::int64_t>,               \
                                                    std::span<const float>, const TemplateOptions&);              \
  template Findings findings_of(const BeatTemplates<Context>&, std::span<const std::int64_t>, std::vector<float>, \
                                const BeatImpulses&, double, const GroupOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FINDINGS_OF)

}  // namespace beatscan
