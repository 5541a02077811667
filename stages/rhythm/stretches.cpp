#include "stages/rhythm/stretches.h"

#include <algorithm>

#include "kernels/detect/judge_beats.h"
#include "stages/quality/quality.h"
#include "stages/quality/signal_quality.h"

namespace beatscan {
namespace {

bool touches(std::span<const Episode> others, double start, double end) {
  return std::ranges::any_of(others, [=](const Episode& its) { return its.start < end && its.end > start; });
}

}  // namespace

std::vector<Episode> noise_episodes(const SignalQuality& best, std::int64_t samples, std::span<const Episode> others,
                                    double join, double least) {
  std::vector<Episode> episodes;
  for (const auto& stretch : poor_stretches(best, samples)) {
    if (stretch.kind != Quality::noisy && stretch.kind != Quality::clipped) continue;
    for (std::int64_t first = stretch.first; first < stretch.last; first += best.block_samples) {
      const auto start = static_cast<double>(first),
                 end = static_cast<double>(std::min(first + best.block_samples, stretch.last));
      if (touches(others, start, end)) continue;
      const bool joins =
          !episodes.empty() && start - episodes.back().end <= join && !touches(others, episodes.back().end, start);
      if (!joins) episodes.push_back({.start = start, .label = EpisodeLabel::noise, .quality = stretch.kind});
      episodes.back().end = end;
      episodes.back().quality = std::ranges::max(episodes.back().quality, stretch.kind, {}, poorness);
    }
  }
  std::erase_if(episodes, [=](const Episode& its) { return its.end - its.start < least; });
  return episodes;
}

std::vector<Stretch> joined_stretches(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  std::vector<Stretch> all, joined;
  std::ranges::merge(a, b, std::back_inserter(all), {}, &Stretch::first, &Stretch::first);
  for (const Stretch& stretch : all)
    if (!joined.empty() && stretch.first <= joined.back().last)
      joined.back().last = std::max(joined.back().last, stretch.last);
    else
      joined.push_back(stretch);
  return joined;
}

std::vector<Episode> gap_episodes(const std::vector<Stretch>& gaps) {
  std::vector<Episode> episodes;
  for (const Stretch& gap : gaps)
    episodes.push_back({.start = static_cast<double>(gap.first),
                        .end = static_cast<double>(gap.last),
                        .label = EpisodeLabel::gap,
                        .quality = Quality::missing});
  return episodes;
}

}  // namespace beatscan
