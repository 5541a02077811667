#include "stages/rhythm/burden.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace beatscan {

namespace {

constexpr std::int64_t kRunBeats = 3;

// Returns [K] 1 for the beats from the start to the end of an episode with one of the labels, both included.
std::vector<std::uint8_t> beats_in(const RhythmBeats& beats, const std::vector<Episode>& episodes,
                                   std::initializer_list<EpisodeLabel> labels) {
  std::vector<std::uint8_t> inside(beats.r_peaks.size());
  for (const Episode& episode : episodes) {
    if (std::ranges::find(labels, episode.label) == labels.end()) continue;
    const auto first = std::ranges::lower_bound(beats.r_peaks, episode.start);
    const auto last = std::upper_bound(first, beats.r_peaks.end(), episode.end);
    std::fill(inside.begin() + (first - beats.r_peaks.begin()), inside.begin() + (last - beats.r_peaks.begin()), 1);
  }
  return inside;
}

// Adds the beats from the first to the last, which are in a row.
void add_row(const RhythmBeats& beats, std::int64_t first, std::int64_t last, ClassBurden& burden) {
  const std::int64_t count = last - first + 1;
  burden.couplets += count == 2;
  if (count < kRunBeats) return;
  const double seconds = (beats.r_peaks[last] - beats.r_peaks[first]) / beats.sample_rate_hz;
  const BeatRunFacts run{.beats = count,
                         .rate_bpm = 60 * static_cast<double>(count - 1) / seconds,
                         .start_s = beats.r_peaks[first] / beats.sample_rate_hz};
  ++burden.runs;
  if (!burden.longest || run.beats > burden.longest->beats) burden.longest = run;
  if (!burden.fastest || run.rate_bpm > burden.fastest->rate_bpm) burden.fastest = run;
}

}  // namespace

ClassBurden burden_of_class(const RhythmBeats& beats, const Episodes& episodes, BeatClass beat_class, double samples) {
  using enum EpisodeLabel;
  const auto count = std::ssize(beats.beat_classes);
  std::vector<std::uint8_t> left_out(count);
  if (beat_class == BeatClass::supraventricular) left_out = beats_in(beats, episodes.list, {atrial_fibrillation});
  const auto in_fibrillation = beats_in(beats, episodes.list, {ventricular_fibrillation, ventricular_flutter});
  const auto is_counted = [&](std::int64_t i) { return beats.beat_classes[i] == beat_class && !left_out[i]; };
  const auto may_join = [&](std::int64_t i) { return is_counted(i) && !in_fibrillation[i]; };
  ClassBurden burden;
  for (std::int64_t i = 0; i < count; ++i) {
    burden.beats += is_counted(i);
    if (!may_join(i)) continue;
    const std::int64_t first = i;
    for (; i + 1 < count && may_join(i + 1) && episodes.linked[i]; ++i) ++burden.beats;
    add_row(beats, first, i, burden);
  }
  if (count > 0) burden.percent = 100 * static_cast<double>(burden.beats) / static_cast<double>(count);
  if (samples > 0) burden.per_hour = static_cast<double>(burden.beats) * 3600 * beats.sample_rate_hz / samples;
  return burden;
}

}  // namespace beatscan
