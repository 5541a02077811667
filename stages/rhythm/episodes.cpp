#include "stages/rhythm/episodes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kernels/detect/judge_beats.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/rhythm/episode_options.h"
#include "stages/rhythm/intervals.h"
#include "stages/rhythm/model_episodes.h"
#include "stages/rhythm/pauses.h"
#include "stages/rhythm/rates.h"
#include "stages/rhythm/runs.h"

namespace beatscan {
namespace {

constexpr double kMostlyNoise = 0.5;  // share of an episode's time

bool is_of_beats(EpisodeLabel label) {
  switch (label) {
    case EpisodeLabel::pause:
    case EpisodeLabel::ventricular_fibrillation:
    case EpisodeLabel::ventricular_flutter:
    case EpisodeLabel::asystole:
    case EpisodeLabel::noise:
    case EpisodeLabel::gap:
      return false;
    default:
      return true;
  }
}

void check_shapes(const RhythmBeats& beats, const SignalEvidence* evidence) {
  const std::size_t count = beats.r_peaks.size(), intervals = count - (count > 0);
  BEATSCAN_EXPECTS(beats.beat_classes.size() == count && beats.quality.size() == count &&
                       beats.broken.size() == intervals && beats.sample_rate_hz > 0 &&
                       (beats.posteriors.empty() || beats.posteriors.size() == count * kPosteriorClasses) &&
                       (!evidence || evidence->silent.size() == intervals),
                   "episodes_of: bad shape or rate");
}

bool is_fibrillation(const Episode& episode) {
  return episode.label == EpisodeLabel::ventricular_fibrillation || episode.label == EpisodeLabel::ventricular_flutter;
}

// Returns the episodes that the signal shows. Noise is left out where the model decides it.
std::vector<Episode> shown_episodes(const SignalEvidence* evidence, const Rhythms& rhythms) {
  if (!evidence) return {};
  auto shown = evidence->episodes;
  if (decides(rhythms, EpisodeLabel::noise))
    std::erase_if(shown, [](const Episode& its) { return its.label == EpisodeLabel::noise; });
  return shown;
}

// Lowers the confidence of episodes of rate by their share in noise. Probabilities of classes and of the rhythm model
// know of noise already.
void lower_in_noise(std::vector<Episode>& episodes, const std::vector<TimeSpan>& noise) {
  for (Episode& its : episodes) {
    double within = 0;
    for (const TimeSpan& span : noise)
      within += std::max(0.0, std::min(its.end, span.end) - std::max(its.start, span.start));
    const double share = its.end > its.start ? within / (its.end - its.start) : 0;
    its.confidence *= 1 - share;
    if (share > kMostlyNoise) its.quality = std::ranges::max(its.quality, Quality::noisy, {}, poorness);
  }
}

// Returns the spans of the episodes that `is_one` holds for.
std::vector<TimeSpan> spans_of(const std::vector<Episode>& episodes, bool (*is_one)(const Episode&)) {
  std::vector<TimeSpan> spans;
  for (const Episode& episode : episodes)
    if (is_one(episode)) spans.push_back({episode.start, episode.end});
  return spans;
}

bool hides_rhythm(const Episode& episode) { return is_fibrillation(episode) || episode.label == EpisodeLabel::gap; }

bool is_of_irregular_atria(const Episode& episode) {
  return episode.label == EpisodeLabel::atrial_fibrillation || episode.label == EpisodeLabel::atrial_flutter;
}

std::int64_t beats_within(const RhythmBeats& beats, double start, double end) {
  return std::ranges::upper_bound(beats.r_peaks, end) - std::ranges::lower_bound(beats.r_peaks, start);
}

void append(std::vector<Episode>& list, const std::vector<Episode>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

std::vector<TimeSpan> in_order(std::vector<TimeSpan> spans) {
  std::ranges::sort(spans, {}, &TimeSpan::start);
  return spans;
}

// Removes the episodes that begin inside a span.
void drop_inside(std::vector<Episode>& episodes, const std::vector<TimeSpan>& spans) {
  std::erase_if(episodes, [&](const Episode& episode) {
    return std::ranges::any_of(
        spans, [&](const TimeSpan& span) { return episode.start >= span.start && episode.start < span.end; });
  });
}

}  // namespace

template <class Context>
Episodes episodes_of(Context& context, const RhythmBeats& beats, const SignalEvidence* evidence, const Rhythms& rhythms,
                     double samples, const EpisodeOptions& options) {
  check_shapes(beats, evidence);
  const auto shown = shown_episodes(evidence, rhythms);
  const auto hiding = spans_of(shown, hides_rhythm);
  Episodes found{.list = model_episodes(beats, rhythms, hiding),
                 .af_assessed = spans_of_rhythm(beats, rhythms, hiding)};
  append(found.list, shown);
  found.hidden = intervals_in(beats, in_order(spans_of(found.list, is_fibrillation)));
  found.linked = linked_intervals(beats, found.hidden, options.intervals);
  const auto atria = spans_of(found.list, is_of_irregular_atria);
  const auto tachycardia = spans_with(found.list, EpisodeLabel::ventricular_tachycardia);  // of the model
  std::vector<Episode> supraventricular, ventricular, others, rates;
  run_together(
      [&] {
        rates = slow_and_fast(context, beats, found.linked, found.hidden, intervals_in(beats, atria), samples,
                              options.rates);
      },
      [&] { supraventricular = supraventricular_runs(beats, found.linked, options.runs); },
      [&] {
        ventricular = ventricular_runs(beats, found.linked, options.runs);
        append(others, alternating_beats(beats, found.linked, options.runs));
        append(others, pauses(beats, found.hidden, evidence, options.pauses, samples));
      });
  drop_inside(supraventricular, atria);
  drop_inside(ventricular, tachycardia);
  append(others, ventricular);
  for (auto* list : {&supraventricular, &others})
    std::erase_if(*list, [&](const Episode& its) { return decides(rhythms, its.label); });
  lower_in_noise(rates, spans_with(found.list, EpisodeLabel::noise));
  for (const auto* list : {&supraventricular, &others, &rates}) append(found.list, *list);
  for (Episode& episode : found.list) episode.beats = beats_within(beats, episode.start, episode.end);
  std::ranges::stable_sort(found.list, [](const Episode& a, const Episode& b) {
    return std::tuple(a.start, -a.end, a.label) < std::tuple(b.start, -b.end, b.label);
  });
  return found;
}

std::vector<TimeSpan> spans_with(const std::vector<Episode>& episodes, EpisodeLabel label) {
  std::vector<TimeSpan> spans;
  for (const Episode& episode : episodes)
    if (episode.label == label) spans.push_back({episode.start, episode.end});
  return spans;
}

std::optional<double> rate_of(const Episode& episode, const RhythmBeats& beats, const IntervalFlags& hidden) {
  if (!is_of_beats(episode.label)) return std::nullopt;
  double sum = 0;
  std::int64_t count = 0;
  std::int64_t i = std::ranges::lower_bound(beats.r_peaks, episode.start) - beats.r_peaks.begin();
  for (; i < std::ssize(hidden) && beats.r_peaks[i + 1] <= episode.end; ++i) {
    if (beats.broken[i] || hidden[i]) continue;
    sum += interval_of(beats, i);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return 60 * beats.sample_rate_hz * static_cast<double>(count) / sum;
}

#define BEATSCAN_EPISODES_OF(Context)                                                                        \
  template Episodes episodes_of(Context&, const RhythmBeats&, const SignalEvidence*, const Rhythms&, double, \
                                const EpisodeOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_EPISODES_OF)

}  // namespace beatscan
