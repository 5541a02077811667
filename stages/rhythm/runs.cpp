#include "stages/rhythm/runs.h"

#include <algorithm>
#include <numeric>

#include "kernels/detect/judge_beats.h"
#include "kernels/rhythm/rhythm.h"
#include "kernels/runtime/buffer.h"
#include "stages/rhythm/episode.h"
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

namespace {

Episode episode_of(const RhythmBeats& beats, EpisodeLabel label, double start, double end, std::int64_t first,
                   std::int64_t last, float certain) {
  const auto good = std::count(beats.quality.begin() + first, beats.quality.begin() + last + 1, Quality::good);
  const Quality worst = worst_quality(beats, first, last),
                least = certain < kCertainPause ? Quality::noisy : Quality::good;
  return {.start = start,
          .end = end,
          .label = label,
          .beats = last - first + 1,
          .confidence = static_cast<double>(good) / 2 * static_cast<double>(certain),
          .quality = std::ranges::max(worst, least, {}, poorness)};
}

}  // namespace

std::vector<Episode> pauses(const RhythmBeats& beats, const IntervalFlags& hidden, const SignalEvidence* evidence,
                            const PauseOptions& options, double samples) {
  std::vector<Episode> episodes;
  const double pause = options.pause_s * beats.sample_rate_hz, asystole = options.asystole_s * beats.sample_rate_hz;
  const std::int64_t last = std::ssize(beats.r_peaks) - 1;
  if (evidence && last >= 0 && evidence->certain_start > 0 && beats.r_peaks[0] > asystole)
    episodes.push_back(episode_of(beats, EpisodeLabel::asystole, 0, beats.r_peaks[0], 0, 0, evidence->certain_start));
  for (std::int64_t i = 0; i < std::ssize(hidden); ++i) {
    const double rr = interval_of(beats, i);
    const bool is_reported = evidence ? evidence->silent[i] : !beats.broken[i];
    if (hidden[i] || !is_reported) continue;
    const auto add = [&](EpisodeLabel label) {
      episodes.push_back(episode_of(beats, label, beats.r_peaks[i], beats.r_peaks[i + 1], i, i + 1,
                                    evidence ? evidence->certainty_of(i) : 1));
    };
    if (rr > pause) add(EpisodeLabel::pause);
    if (rr > asystole) add(EpisodeLabel::asystole);
  }
  if (evidence && last >= 0 && evidence->certain_end > 0 && samples - beats.r_peaks[last] > asystole)
    episodes.push_back(
        episode_of(beats, EpisodeLabel::asystole, beats.r_peaks[last], samples, last, last, evidence->certain_end));
  return episodes;
}

namespace {

// Returns the mean of x from `first` on, over reach + 1 values, or as many as there are.
double mean_from(const std::vector<double>& x, std::int64_t first, int reach) {
  const std::int64_t count = std::min<std::int64_t>(reach + 1, std::ssize(x) - first);
  return std::accumulate(x.begin() + first, x.begin() + first + count, 0.0) / static_cast<double>(count);
}

}  // namespace

template <class Context>
std::vector<Episode> slow_and_fast(Context& context, const RhythmBeats& beats, const IntervalFlags& linked,
                                   const IntervalFlags& hidden, const IntervalFlags& in_af, double samples,
                                   const RateOptions& options) {
  IntervalFlags usable =
      usable_intervals(beats, linked, [](BeatClass beat_class) { return beat_class == BeatClass::normal; });
  IntervalFlags walls = hidden;
  for (std::size_t i = 0; i < usable.size(); ++i) {
    usable[i] &= !in_af[i];
    walls[i] |= in_af[i];
  }
  const auto places = places_of(usable);
  if (std::ssize(places) < options.fewest_intervals) return {};
  const std::vector<double> x = intervals_at(beats, places);
  Buffer<double, Context> medians_there(context, std::ssize(x));
  running_medians(context, from_host(context, x), options.reach, medians_there);
  const auto medians = to_host(context, medians_there);

  const double minute = 60 * beats.sample_rate_hz, join = options.join_s * beats.sample_rate_hz,
               least = std::min(options.least_s * beats.sample_rate_hz, samples / 2);
  std::vector<Episode> episodes;
  const auto add = [&](EpisodeLabel label, auto&& holds_for) {
    std::vector<std::uint8_t> holds(medians.size());
    const std::int64_t reach = options.reach, last = std::max<std::int64_t>(std::ssize(x) - 1 - reach, 0);
    for (std::int64_t i = 0; i < std::ssize(holds); ++i)
      holds[i] = holds_for(medians[i]) &&
                 (holds_for(mean_from(x, std::clamp<std::int64_t>(i - reach - 1, 0, last), options.reach)) ||
                  holds_for(mean_from(x, std::min(i + 1, last), options.reach)));
    for (const auto& run : joined_runs(beats, places, holds, walls, join)) {
      const Episode episode = episode_of(beats, run, label);
      if (episode.end - episode.start >= least) episodes.push_back(episode);
    }
  };
  add(EpisodeLabel::bradycardia, [&](double median) { return median * options.slow_bpm > minute; });
  add(EpisodeLabel::tachycardia, [&](double median) { return median * options.fast_bpm < minute; });
  return episodes;
}

#define BEATSCAN_SLOW_AND_FAST(Context)                                                           \
  template std::vector<Episode> slow_and_fast(Context&, const RhythmBeats&, const IntervalFlags&, \
                                              const IntervalFlags&, const IntervalFlags&, double, const RateOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_SLOW_AND_FAST)

}  // namespace beatscan
