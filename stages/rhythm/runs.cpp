#include "stages/rhythm/runs.h"

#include <algorithm>

#include "stages/rhythm/episode_options.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {
namespace {

// Beats from the first to the last.
struct BeatRun {
  std::int64_t first, last;
  std::int64_t size() const { return last - first + 1; }
};

// Returns the probability of a beat's own class; 1 of one that the model does not know.
float posterior_of(const RhythmBeats& beats, std::int64_t beat) {
  const auto of_beat = beats.posteriors.subspan(beat * kPosteriorClasses, kPosteriorClasses);
  switch (beats.beat_classes[beat]) {
    case BeatClass::normal:
      return of_beat[kClassN];
    case BeatClass::supraventricular:
      return of_beat[kClassS];
    case BeatClass::ventricular:
      return of_beat[kClassV];
    default:
      return 1;
  }
}

// Returns the mean probability of the beats' own classes, or the share of beats in good signal where it is not known.
double confidence_of(const RhythmBeats& beats, const BeatRun& run) {
  double sum = 0;
  for (std::int64_t i = run.first; i <= run.last; ++i)
    sum += beats.posteriors.empty() ? beats.quality[i] == Quality::good : double{posterior_of(beats, i)};
  return sum / static_cast<double>(run.size());
}

Episode episode_of(const RhythmBeats& beats, const BeatRun& run, EpisodeLabel label) {
  return {.start = beats.r_peaks[run.first],
          .end = beats.r_peaks[run.last],
          .label = label,
          .beats = run.size(),
          .confidence = confidence_of(beats, run),
          .quality = worst_quality(beats, run.first, run.last)};
}

// Returns the runs of beats of a class.
std::vector<BeatRun> runs_of(const RhythmBeats& beats, const IntervalFlags& linked, BeatClass beat_class) {
  std::vector<BeatRun> runs;
  for (std::int64_t i = 0; i < std::ssize(beats.beat_classes); ++i) {
    if (beats.beat_classes[i] != beat_class) continue;
    if (!runs.empty() && runs.back().last == i - 1 && linked[i - 1])
      runs.back().last = i;
    else
      runs.push_back({i, i});
  }
  return runs;
}

double rate_bpm(const RhythmBeats& beats, const BeatRun& run) {
  return 60 * beats.sample_rate_hz * static_cast<double>(run.size() - 1) /
         (beats.r_peaks[run.last] - beats.r_peaks[run.first]);
}

// Returns the V beats from `first` on that come at more than vt_rate_bpm each; the first alone where the next does not.
BeatRun fast_beats(const RhythmBeats& beats, std::int64_t first, std::int64_t last, const BeatRunOptions& options) {
  BeatRun fast{first, first};
  while (fast.last < last && rate_bpm(beats, {fast.last, fast.last + 1}) > options.vt_rate_bpm) ++fast.last;
  return fast;
}

// Says whether fast beats within a slow run are a tachycardia, and not scatter around its rate.
bool is_apart(const RhythmBeats& beats, const BeatRun& fast, const BeatRun& run, const BeatRunOptions& options) {
  if (fast.size() < options.least_beats) return false;
  const auto interval = [&](std::int64_t i) { return beats.r_peaks[i + 1] - beats.r_peaks[i]; };
  double shortest = interval(fast.first), longest = shortest;
  for (std::int64_t i = fast.first + 1; i < fast.last; ++i) {
    shortest = std::min(shortest, interval(i));
    longest = std::max(longest, interval(i));
  }
  const double beside = options.part_ratio * longest;
  return longest < options.part_ratio * shortest && (fast.first == run.first || interval(fast.first - 1) >= beside) &&
         (fast.last == run.last || interval(fast.last) >= beside);
}

// Returns the parts of a slow run, in order: tachycardias, and the beats before, between and after them.
std::vector<BeatRun> parts_of(const RhythmBeats& beats, const BeatRun& run, const BeatRunOptions& options) {
  std::vector<BeatRun> parts;
  std::int64_t rest = run.first;
  for (std::int64_t i = run.first; i <= run.last;) {
    const BeatRun fast = fast_beats(beats, i, run.last, options);
    if (is_apart(beats, fast, run, options)) {
      if (rest < fast.first) parts.push_back({rest, fast.first - 1});
      parts.push_back(fast);
      rest = fast.last + 1;
    }
    i = fast.last + 1;
  }
  if (rest <= run.last) parts.push_back({rest, run.last});
  return parts;
}

// Says whether V beat `v` is followed by `normal` N and then by V, all linked.
bool is_cycle(const RhythmBeats& beats, const IntervalFlags& linked, std::int64_t v, int normal) {
  if (v + normal + 1 >= std::ssize(beats.beat_classes) || beats.beat_classes[v + normal + 1] != BeatClass::ventricular)
    return false;
  for (std::int64_t i = v; i <= v + normal; ++i)
    if (!linked[i] || (i > v && beats.beat_classes[i] != BeatClass::normal)) return false;
  return true;
}

// Returns the runs of cycles of one V and `normal` N, each reaching from the first V to the last.
std::vector<BeatRun> cycles_of(const RhythmBeats& beats, const IntervalFlags& linked, int normal, int least) {
  std::vector<BeatRun> runs;
  for (std::int64_t i = 0; i < std::ssize(beats.beat_classes); ++i) {
    if (beats.beat_classes[i] != BeatClass::ventricular || !is_cycle(beats, linked, i, normal)) continue;
    if (!runs.empty() && runs.back().last == i)
      runs.back().last = i + normal + 1;
    else
      runs.push_back({i, i + normal + 1});
  }
  std::erase_if(runs, [&](const BeatRun& run) { return (run.size() - 1) / (normal + 1) + 1 < least; });
  return runs;
}

}  // namespace

std::vector<Episode> ventricular_runs(const RhythmBeats& beats, const IntervalFlags& linked,
                                      const BeatRunOptions& options) {
  std::vector<Episode> episodes;
  const auto is_fast = [&](const BeatRun& run) { return rate_bpm(beats, run) > options.vt_rate_bpm; };
  for (const BeatRun& run : runs_of(beats, linked, BeatClass::ventricular)) {
    if (run.size() == 2 && run.size() < options.least_beats)
      episodes.push_back(episode_of(beats, run, EpisodeLabel::ventricular_couplet));
    else if (run.size() >= options.least_beats && is_fast(run))
      episodes.push_back(episode_of(beats, run, EpisodeLabel::ventricular_tachycardia));
    else if (run.size() >= options.least_beats)
      for (const BeatRun& part : parts_of(beats, run, options))
        if (part.size() >= options.least_beats)
          episodes.push_back(
              episode_of(beats, part,
                         is_fast(part) ? EpisodeLabel::ventricular_tachycardia : EpisodeLabel::idioventricular_rhythm));
  }
  return episodes;
}

std::vector<Episode> supraventricular_runs(const RhythmBeats& beats, const IntervalFlags& linked,
                                           const BeatRunOptions& options) {
  std::vector<Episode> episodes;
  for (const BeatRun& run : runs_of(beats, linked, BeatClass::supraventricular))
    if (run.size() >= options.least_beats && rate_bpm(beats, run) > options.svt_rate_bpm)
      episodes.push_back(episode_of(beats, run, EpisodeLabel::supraventricular_tachycardia));
  return episodes;
}

std::vector<Episode> alternating_beats(const RhythmBeats& beats, const IntervalFlags& linked,
                                       const BeatRunOptions& options) {
  std::vector<Episode> episodes;
  const std::int64_t last_beat = std::ssize(beats.beat_classes) - 1;
  for (const int normal : {1, 2})
    for (BeatRun run : cycles_of(beats, linked, normal, options.least_cycles)) {
      if (run.first > 0 && linked[run.first - 1]) --run.first;
      if (run.last < last_beat && linked[run.last]) ++run.last;
      episodes.push_back(episode_of(beats, run, normal == 1 ? EpisodeLabel::bigeminy : EpisodeLabel::trigeminy));
    }
  return episodes;
}

}  // namespace beatscan
