#include "stages/rhythm/model_episodes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "stages/rhythm/intervals.h"
#include "stages/rhythm/rhythms.h"

namespace beatscan {
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

}  // namespace

std::vector<Episode> model_episodes(const RhythmBeats& beats, const Rhythms& rhythms,
                                    const std::vector<TimeSpan>& hidden) {
  std::vector<Episode> episodes;
  for (const RhythmSegment& segment : rhythms.segments) {
    const auto found = std::ranges::find(kLabels, std::string_view(rhythms.states[segment.state]), &StateLabel::state);
    if (!rhythms.decides[segment.state] || found == kLabels.end()) continue;
    for (const TimeSpan& part : parts_outside(span_of(segment, beats.sample_rate_hz), hidden))
      episodes.push_back({.start = part.start,
                          .end = part.end,
                          .label = found->label,
                          .confidence = segment.confidence,
                          .quality = quality_in(beats, part)});
  }
  return episodes;
}

bool decides(const Rhythms& rhythms, EpisodeLabel label) {
  for (std::size_t s = 0; s < rhythms.states.size(); ++s)
    for (const StateLabel& its : kLabels)
      if (rhythms.decides[s] && its.label == label && its.state == rhythms.states[s]) return true;
  return false;
}

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

}  // namespace beatscan
