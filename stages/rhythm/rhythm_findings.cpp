#include "stages/rhythm/rhythm_findings.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/parallel.h"
#include "stages/common/robust.h"
#include "stages/rhythm/burden.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/episodes.h"
#include "stages/rhythm/hrv.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {

namespace {

bool hides_waves(const Episode& episode) {
  return episode.label == EpisodeLabel::ventricular_fibrillation || episode.label == EpisodeLabel::ventricular_flutter;
}

}  // namespace

std::vector<std::uint8_t> beats_without_waves(const RhythmBeats& beats, std::span<const Episode> episodes) {
  std::vector<std::uint8_t> without;
  without.reserve(beats.r_peaks.size());
  for (const Quality quality : beats.quality) without.push_back(quality != Quality::good);
  for (const Episode& episode : episodes) {
    if (!hides_waves(episode)) continue;
    const auto first = std::ranges::lower_bound(beats.r_peaks, episode.start);
    const auto last = std::upper_bound(first, beats.r_peaks.end(), episode.end);
    std::fill(without.begin() + (first - beats.r_peaks.begin()), without.begin() + (last - beats.r_peaks.begin()), 1);
  }
  return without;
}

void remove_non_conducted_in_fibrillation(std::span<const Episode> episodes, BeatWaves& waves) {
  for (const Episode& episode : episodes)
    if (episode.label == EpisodeLabel::atrial_fibrillation)
      std::erase_if(waves.non_conducted,
                    [&](const NonConductedP& wave) { return episode.start <= wave.onset && wave.onset < episode.end; });
}

namespace {

constexpr double kHour = 3600;

// Adds the seconds of each hour that lie in the spans.
void add_seconds(std::vector<HourFacts>& hours, const std::vector<TimeSpan>& spans, double rate_hz,
                 double HourFacts::*target) {
  for (const TimeSpan& span : spans) {
    const double start = span.start / rate_hz, end = span.end / rate_hz;
    for (auto h = static_cast<std::int64_t>(start / kHour); h < std::ssize(hours) && hours[h].from_s < end; ++h)
      hours[h].*target += std::min(end, hours[h].from_s + kHour) - std::max(start, hours[h].from_s);
  }
}

double seconds_of(const std::vector<TimeSpan>& spans, double rate_hz) {
  double samples = 0;
  for (const TimeSpan& span : spans) samples += span.end - span.start;
  return samples / rate_hz;
}

// Returns the first beat of an hour or of a later one. Beats outside of the recording count to its first or last hour.
std::int64_t first_beat_of(const RhythmBeats& beats, std::int64_t hour, std::int64_t hours) {
  const auto first = std::ranges::partition_point(beats.r_peaks, [&](double peak) {
    const auto its = static_cast<std::int64_t>(peak / beats.sample_rate_hz / kHour);
    return std::clamp<std::int64_t>(its, 0, hours - 1) < hour;
  });
  return first - beats.r_peaks.begin();
}

// Returns the facts of the beats from `first` to before `last`.
HourFacts facts_of_hour(const RhythmBeats& beats, const IntervalFlags& linked, std::int64_t first, std::int64_t last) {
  HourFacts facts{.beats = last - first};
  std::vector<double> intervals;
  intervals.reserve(last - first);
  for (std::int64_t i = first; i < last; ++i) {
    ++facts.beat_classes[static_cast<int>(beats.beat_classes[i])];
    if (i > 0 && linked[i - 1]) intervals.push_back(interval_of(beats, i - 1));
  }
  if (!intervals.empty()) facts.rate_bpm = 60 * beats.sample_rate_hz / quantile(intervals, 0.5);
  return facts;
}

}  // namespace

std::vector<HourFacts> hours_of(const RhythmBeats& beats, const Episodes& episodes, double samples) {
  const double rate_hz = beats.sample_rate_hz;
  const auto count = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(samples / rate_hz / kHour)), 1);
  std::vector<HourFacts> hours(count);
  run_parts(count, [&](std::int64_t h) {
    hours[h] =
        facts_of_hour(beats, episodes.linked, first_beat_of(beats, h, count), first_beat_of(beats, h + 1, count));
    hours[h].from_s = kHour * static_cast<double>(h);
  });
  add_seconds(hours, spans_with(episodes.list, EpisodeLabel::atrial_fibrillation), rate_hz, &HourFacts::afib_s);
  add_seconds(hours, episodes.af_assessed, rate_hz, &HourFacts::assessed_s);
  return hours;
}

AfBurden burden_of(const Episodes& episodes, double sample_rate_hz) {
  return {seconds_of(spans_with(episodes.list, EpisodeLabel::atrial_fibrillation), sample_rate_hz),
          seconds_of(episodes.af_assessed, sample_rate_hz)};
}

template <class Context>
RhythmFindings rhythm_findings(Context& context, const RhythmBeats& beats, const SignalEvidence* evidence,
                               const Rhythms& rhythms, double samples, const EpisodeOptions& options) {
  RhythmFindings found{.episodes = episodes_of(context, beats, evidence, rhythms, samples, options)};
  const Episodes& episodes = found.episodes;
  run_together([&] { found.hrv = hrv_of(nn_of_recording(beats, episodes), interval_count(beats), options.hrv); },
               [&] { found.hours = hours_of(beats, episodes, samples); });
  found.af = burden_of(episodes, beats.sample_rate_hz);
  found.ventricular = burden_of_class(beats, episodes, BeatClass::ventricular, samples);
  found.supraventricular = burden_of_class(beats, episodes, BeatClass::supraventricular, samples);
  return found;
}

#define BEATSCAN_RHYTHM_FINDINGS(Context)                                                                              \
  template RhythmFindings rhythm_findings(Context&, const RhythmBeats&, const SignalEvidence*, const Rhythms&, double, \
                                          const EpisodeOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RHYTHM_FINDINGS)

}  // namespace beatscan
