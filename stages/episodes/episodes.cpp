#include "stages/episodes/episodes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kernels/beats/judge_beats.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/episodes/atrial_fibrillation.h"
#include "stages/episodes/episode_options.h"
#include "stages/episodes/intervals.h"
#include "stages/episodes/pauses.h"
#include "stages/episodes/rates.h"
#include "stages/episodes/runs.h"
#include "stages/episodes/wide_tachycardia.h"

namespace beatscan {
namespace {

constexpr double kMostlyNoise = 0.5;  // share of an episode's time

bool tells_of_beats(EpisodeLabel label) {
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
  BEATSCAN_EXPECTS(beats.kinds.size() == count && beats.quality.size() == count && beats.broken.size() == intervals &&
                       beats.sample_rate_hz > 0 && (beats.templates.empty() || beats.templates.size() == count) &&
                       (beats.posteriors.empty() || beats.posteriors.size() == count * kBeatClasses) &&
                       (!evidence || evidence->silent.size() == intervals),
                   "episodes_of: bad shape or rate");
}

bool is_fibrillation(const Episode& episode) {
  return episode.label == EpisodeLabel::ventricular_fibrillation || episode.label == EpisodeLabel::ventricular_flutter;
}

// Returns the episodes that the signal shows. Fibrillation with regular beats is left out: it is a rhythm if the beats
// are fast and alike, and otherwise noise below them, such as a tremor.
std::vector<Episode> shown_episodes(const RhythmBeats& beats, const SignalEvidence* evidence,
                                    const WideTachycardiaOptions& options) {
  std::vector<Episode> shown;
  if (evidence) shown = evidence->episodes;
  if (evidence && evidence->fibrillation_is_certain) return shown;
  std::erase_if(shown,
                [&](const Episode& its) { return is_fibrillation(its) && is_wide_tachycardia(beats, its, options); });
  for (Episode& its : shown)
    if (is_fibrillation(its) && has_regular_beats(beats, its, options)) {
      its.label = EpisodeLabel::noise;
      its.quality = std::ranges::max(its.quality, Quality::noisy, {}, poorness);
    }
  std::erase_if(shown, [&](const Episode& its) {
    return its.label == EpisodeLabel::noise && is_restless_rhythm(beats, its, options);
  });
  return shown;
}

bool is_of_classes(EpisodeLabel label) {
  switch (label) {
    case EpisodeLabel::ventricular_tachycardia:
    case EpisodeLabel::idioventricular_rhythm:
    case EpisodeLabel::ventricular_couplet:
    case EpisodeLabel::supraventricular_tachycardia:
    case EpisodeLabel::bigeminy:
    case EpisodeLabel::trigeminy:
      return true;
    default:
      return false;
  }
}

// Lowers the confidence of episodes that are found by beats, by their share in noise. Probabilities of classes know of
// noise already.
void doubt_in_noise(std::vector<Episode>& episodes, const std::vector<TimeSpan>& noise, bool classes_are_probable) {
  for (Episode& its : episodes) {
    if (!tells_of_beats(its.label) || !(its.end > its.start)) continue;
    double within = 0;
    for (const TimeSpan& span : noise)
      within += std::max(0.0, std::min(its.end, span.end) - std::max(its.start, span.start));
    const double share = within / (its.end - its.start);
    if (!(classes_are_probable && is_of_classes(its.label))) its.confidence *= 1 - share;
    if (share > kMostlyNoise) its.quality = std::ranges::max(its.quality, Quality::noisy, {}, poorness);
  }
}

// Returns the intervals in which the signal shows fibrillation or flutter of the ventricles.
IntervalFlags hidden_intervals(const RhythmBeats& beats, const std::vector<Episode>& shown) {
  std::vector<TimeSpan> spans;
  for (const Episode& episode : shown)
    if (is_fibrillation(episode)) spans.push_back({episode.start, episode.end});
  return intervals_in(beats, spans);
}

std::int64_t beats_within(const RhythmBeats& beats, double start, double end) {
  return std::ranges::upper_bound(beats.r_peaks, end) - std::ranges::lower_bound(beats.r_peaks, start);
}

void append(std::vector<Episode>& list, const std::vector<Episode>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// Removes the SVT that begin inside AFIB.
void drop_inside(std::vector<Episode>& episodes, const std::vector<TimeSpan>& spans) {
  std::erase_if(episodes, [&](const Episode& episode) {
    return std::ranges::any_of(
        spans, [&](const TimeSpan& span) { return episode.start >= span.start && episode.start < span.end; });
  });
}

}  // namespace

template <class Context>
Episodes episodes_of(Context& context, const RhythmBeats& beats, const SignalEvidence* evidence, double samples,
                     const EpisodeOptions& options, const WorkBeside& beside) {
  check_shapes(beats, evidence);
  const auto shown = shown_episodes(beats, evidence, options.wide);
  Episodes found{.hidden = hidden_intervals(beats, shown)};
  const IntervalFlags &hidden = found.hidden, &linked = found.linked;
  found.linked = linked_intervals(beats, hidden, options.intervals);
  AtrialFibrillation af;
  std::vector<Episode> svt, others;
  run_together([&] { af = atrial_fibrillation(context, beats, linked, hidden, samples, options.af); },
               [&] { svt = supraventricular_runs(beats, linked, options.runs); },
               [&] {
                 append(others, ventricular_runs(beats, linked, options.runs));
                 append(others, alternating_beats(beats, linked, options.runs));
                 append(others, pauses(beats, hidden, evidence, options.pauses, samples));
               },
               [&] {
                 if (beside.on_intervals) beside.on_intervals(found);
               });
  found.list = std::move(af.episodes);
  found.af_told = std::move(af.told);
  const auto af_spans = spans_with(found.list, EpisodeLabel::atrial_fibrillation);
  drop_inside(svt, af_spans);
  for (Episode& its : others)
    if (may_be_aberrant(its, beats.r_peaks, af_spans, options.runs)) its.confidence /= 2;
  std::vector<Episode> rates;
  run_together(
      [&] {
        rates = slow_and_fast(context, beats, linked, hidden, intervals_in(beats, af_spans), samples, options.rates);
      },
      [&] {
        if (beside.on_af) beside.on_af(found);
      });
  for (const auto* list : {&svt, &others, &rates}) append(found.list, *list);
  doubt_in_noise(found.list, spans_with(shown, EpisodeLabel::noise), !beats.posteriors.empty());
  append(found.list, shown);
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
  if (!tells_of_beats(episode.label)) return std::nullopt;
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

#define BEATSCAN_EPISODES_OF(Context)                                                                               \
  template Episodes episodes_of(Context&, const RhythmBeats&, const SignalEvidence*, double, const EpisodeOptions&, \
                                const WorkBeside&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_EPISODES_OF)

}  // namespace beatscan
