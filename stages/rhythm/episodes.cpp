#include "stages/rhythm/episodes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/detect/judge_beats.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/intervals.h"
#include "stages/rhythm/rhythms.h"
#include "stages/rhythm/runs.h"

namespace beatscan {

// Episodes of rhythms that the model recognises.
//
// The model names the rhythms that it decides. Those of the other labels follow from definitions over beats (runs.h).
// The confidence is that of the model's segment. The quality is the worst of the beats where fewer than half of them
// are in good signal, and else good.

namespace {

struct StateLabel {
  std::string_view state;
  EpisodeLabel label;
};

// The model's states that may be episodes.
constexpr std::array<StateLabel, 12> kLabels = {{{"AFIB", EpisodeLabel::atrial_fibrillation},
                                                 {"AFL", EpisodeLabel::atrial_flutter},
                                                 {"SVT", EpisodeLabel::supraventricular_tachycardia},
                                                 {"VT", EpisodeLabel::ventricular_tachycardia},
                                                 {"IVR", EpisodeLabel::idioventricular_rhythm},
                                                 {"BIGEMINY", EpisodeLabel::bigeminy},
                                                 {"TRIGEMINY", EpisodeLabel::trigeminy},
                                                 {"WENCKEBACH", EpisodeLabel::wenckebach},
                                                 {"JUNCTIONAL", EpisodeLabel::junctional_rhythm},
                                                 {"SUDDEN_BRADY", EpisodeLabel::sudden_bradycardia},
                                                 {"VF", EpisodeLabel::ventricular_fibrillation},
                                                 {"NOISE", EpisodeLabel::noise}}};

TimeSpan span_of(const RhythmSegment& segment, double sample_rate_hz) {
  return {segment.start_s * sample_rate_hz, segment.end_s * sample_rate_hz};
}

// Returns the worst quality of the beats in a span where fewer than half of them are in good signal.
Quality quality_in(const RhythmBeats& beats, const TimeSpan& span) {
  const auto first = std::ranges::lower_bound(beats.r_peaks, span.start) - beats.r_peaks.begin(),
             last = std::ranges::upper_bound(beats.r_peaks, span.end) - beats.r_peaks.begin();
  const auto of_span = beats.quality.subspan(first, std::max<std::ptrdiff_t>(last - first, 0));
  if (2 * std::ranges::count(of_span, Quality::good) >= std::ssize(of_span)) return Quality::good;
  return worst_quality(beats, first, last - 1);
}

// Returns the episodes of the rhythms that the model decides, in order of time.
//   hidden  spans in which the signal shows that there is no rhythm, by start: episodes are cut there
std::vector<Episode> model_episodes(const RhythmBeats& beats, const Rhythms& rhythms,
                                    const std::vector<TimeSpan>& hidden) {
  std::vector<Episode> episodes;
  for (const RhythmSegment& segment : rhythms.segments) {
    const auto label = label_of_state(rhythms.states[segment.state]);
    if (!rhythms.decides[segment.state] || !label) continue;
    for (const TimeSpan& part : parts_outside(span_of(segment, beats.sample_rate_hz), hidden))
      episodes.push_back({.start = part.start,
                          .end = part.end,
                          .label = *label,
                          .confidence = segment.confidence,
                          .quality = quality_in(beats, part)});
  }
  return episodes;
}

// Says whether the model decides a label.
bool decides(const Rhythms& rhythms, EpisodeLabel label) {
  for (std::size_t s = 0; s < rhythms.states.size(); ++s)
    if (rhythms.decides[s] && label_of_state(rhythms.states[s]) == label) return true;
  return false;
}

// Returns where the model recognises a rhythm, be it sinus rhythm, and neither noise nor ventricular fibrillation.
std::vector<TimeSpan> spans_of_rhythm(const RhythmBeats& beats, const Rhythms& rhythms,
                                      const std::vector<TimeSpan>& hidden) {
  std::vector<TimeSpan> spans;
  for (const RhythmSegment& segment : rhythms.segments) {
    const std::string_view state = rhythms.states[segment.state];
    if (state == "NOISE" || state == "VF") continue;
    for (const TimeSpan& part : parts_outside(span_of(segment, beats.sample_rate_hz), hidden))
      if (!spans.empty() && spans.back().end == part.start)
        spans.back().end = part.end;
      else
        spans.push_back(part);
  }
  return spans;
}

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

std::optional<EpisodeLabel> label_of_state(std::string_view state) {
  const auto found = std::ranges::find(kLabels, state, &StateLabel::state);
  return found == kLabels.end() ? std::nullopt : std::optional(found->label);
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
