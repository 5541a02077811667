#include "stages/episodes/atrial_fibrillation.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/rhythm/alike_intervals.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/parallel.h"
#include "stages/episodes/breathing.h"
#include "stages/episodes/episode_options.h"
#include "stages/episodes/intervals.h"

namespace beatscan {
namespace {

using Doubles = std::vector<double>;

constexpr std::int64_t kGrain = 8192;  // intervals that a thread takes at a time

// Holds what alike_pairs counts.
struct AlikeCounts {
  std::vector<std::int32_t> alike, compared;
};

// Returns the mean of alike / compared within `around` places on either side; places without a partner do not count.
Doubles mean_shares(const AlikeCounts& pairs, int around) {
  const std::vector<std::int32_t>&alike = pairs.alike, &compared = pairs.compared;  // clang 14 captures no bindings
  const std::int64_t count = std::ssize(alike);
  Doubles sums(count + 1), means(count);
  std::vector<std::int32_t> counts(count + 1);
  parallel_for(Cpu(), count, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      sums[i + 1] = compared[i] > 0 ? static_cast<double>(alike[i]) / compared[i] : 0;
  });
  for (std::int64_t i = 0; i < count; ++i) {
    sums[i + 1] += sums[i];
    counts[i + 1] = counts[i] + (compared[i] > 0);
  }
  parallel_for(Cpu(), count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = std::max<std::int64_t>(i - around, 0), last = std::min(i + around + 1, count);
      means[i] = (sums[last] - sums[first]) / std::max(counts[last] - counts[first], 1);
    }
  });
  return means;
}

template <class Context>
AlikeCounts count_alike(Context& context, const Buffer<double, Context>& x, double tolerance,
                        const AfOptions& options) {
  Buffer<std::int32_t, Context> alike(context, x.size()), compared(context, x.size());
  alike_pairs(context, x, std::exp(tolerance), options.partners, alike, compared);
  AlikeCounts pairs;
  std::tie(pairs.alike, pairs.compared) = to_hosts(context, alike, compared);
  return pairs;
}

// Returns the places of the intervals that are neither early nor after an early one.
template <class Context>
std::vector<std::int64_t> places_not_early(Context& context, const Doubles& x, const Buffer<double, Context>& x_there,
                                           const AfOptions& options) {
  Buffer<double, Context> medians_there(context, x_there.size());
  running_medians(context, x_there, options.early_reach, medians_there);
  const Doubles medians = to_host(context, medians_there);
  IntervalFlags early(x.size()), fit(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) early[i] = x[i] < options.early * medians[i];
  for (std::size_t i = 0; i < x.size(); ++i) fit[i] = !early[i] & !(i > 0 && early[i - 1]);
  return places_of(fit);
}

// Returns rest_i.
template <class Context>
Doubles shares_of_rest(Context& context, const Doubles& x, const Buffer<double, Context>& x_there,
                       const AfOptions& options) {
  const auto places = places_not_early(context, x, x_there, options);
  Doubles shares(x.size());
  if (std::ssize(places) < options.fewest_intervals) return shares;
  Doubles rest(places.size());
  for (std::size_t m = 0; m < rest.size(); ++m) rest[m] = x[places[m]];
  const Doubles found =
      mean_shares(count_alike(context, from_host(context, rest), options.alike_rest, options), options.around);
  std::size_t next = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    while (next + 1 < places.size() && places[next] < static_cast<std::int64_t>(i)) ++next;
    shares[i] = found[next];
  }
  return shares;
}

// Returns the core with up to `most` neighbouring intervals on either side whose mean over few is below the limit, and
// puts that mean in their place.
std::vector<std::uint8_t> extended_to_edges(const std::vector<std::uint8_t>& core, const Doubles& near, double limit,
                                            int most, Doubles& shares) {
  auto holds = core;
  int run = 0;  // intervals since the core
  const auto extend = [&](std::size_t m, std::size_t from) {
    run = core[from] ? 1 : run + 1;
    if (holds[m] || !holds[from] || run > most || !(near[m] < limit)) return;
    holds[m] = 1;
    shares[m] = near[m];
  };
  for (std::size_t m = 1; m < holds.size(); ++m) extend(m, m - 1);
  for (std::size_t m = holds.size(); m-- > 1;) extend(m - 1, m);
  return holds;
}

// Tells whether the intervals of an episode go up and down as with breathing: those of its core, or all where the core
// has fewer than a window of breathing_waves().
bool is_breathing(std::span<const double> all, std::span<const double> core, const AfOptions& options) {
  const auto judged = std::ssize(core) >= kBreathWindow ? core : all;
  if (std::ssize(judged) >= kBreathWindow) return breathing_waves(judged) >= options.most_breathing;
  return std::ssize(all) >= options.fewest_breaths && breathing_waves(all, std::ssize(all)) >= options.most_few_breaths;
}

// Returns the spans of usable intervals, joined where no more than join samples lie between.
std::vector<TimeSpan> spans_of(const RhythmBeats& beats, const std::vector<std::int64_t>& places,
                               const IntervalFlags& hidden, double join) {
  std::vector<TimeSpan> spans;
  const std::vector<std::uint8_t> all(places.size(), 1);
  for (const auto& run : joined_runs(beats, places, all, hidden, join))
    spans.push_back({beats.r_peaks[run.first], beats.r_peaks[run.last + 1]});
  return spans;
}

// Returns the intervals between beats of the heart's own rhythm. A pacemaker's is regular whatever the atria do.
IntervalFlags own_intervals(const RhythmBeats& beats, const IntervalFlags& linked) {
  auto own =
      usable_intervals(beats, linked, [](Kind kind) { return kind != Kind::ventricular && kind != Kind::fusion; });
  for (std::size_t i = 0; !beats.paced.empty() && i < own.size(); ++i)
    if (beats.paced[i] || beats.paced[i + 1]) own[i] = 0;
  return own;
}

}  // namespace

template <class Context>
AtrialFibrillation atrial_fibrillation(Context& context, const RhythmBeats& beats, const IntervalFlags& linked,
                                       const IntervalFlags& hidden, double samples, const AfOptions& options) {
  const auto places = places_of(own_intervals(beats, linked));
  if (std::ssize(places) < options.fewest_intervals) return {};
  const Doubles x = intervals_at(beats, places);
  const auto x_there = from_host(context, x);
  const double join = options.join_s * beats.sample_rate_hz,
               least = std::min(options.least_s * beats.sample_rate_hz, samples / 2);
  const AlikeCounts pairs = count_alike(context, x_there, options.alike, options);
  AtrialFibrillation found;
  Doubles shares, near, rest;
  run_together([&] { rest = shares_of_rest(context, x, x_there, options); },
               [&] { shares = mean_shares(pairs, options.around); },
               [&] { near = mean_shares(pairs, options.edge_around); },
               [&] { found.told = spans_of(beats, places, hidden, join); });
  std::vector<std::uint8_t> core(x.size());
  for (std::size_t m = 0; m < x.size(); ++m) core[m] = (shares[m] < options.share) & (rest[m] < options.share_rest);
  const auto holds = extended_to_edges(core, near, options.share, options.around, shares);
  std::size_t m = 0;
  for (const auto& run : joined_runs(beats, places, holds, hidden, join)) {
    while (places[m] < run.first) ++m;
    const std::size_t first = m;
    std::size_t core_first = m, core_end = m;
    double certain = 0, of_core = 0;
    for (; m < places.size() && places[m] <= run.last; ++m) {
      certain += 1 - shares[m] / options.share;
      if (!core[m]) continue;
      if (core_end == first) core_first = m;
      core_end = m + 1;
      of_core += x[m];
    }
    Episode episode = episode_of(beats, run, EpisodeLabel::atrial_fibrillation);
    episode.confidence *= certain / static_cast<double>(run.used);
    const bool is_sure = of_core >= least || episode.confidence >= options.least_confidence;
    const std::span intervals(x);
    if (episode.end - episode.start >= least && of_core >= options.core * least && is_sure &&
        !is_breathing(intervals.subspan(first, m - first), intervals.subspan(core_first, core_end - core_first),
                      options))
      found.episodes.push_back(episode);
  }
  return found;
}

#define BEATSCAN_ATRIAL_FIBRILLATION(Context)                                                         \
  template AtrialFibrillation atrial_fibrillation(Context&, const RhythmBeats&, const IntervalFlags&, \
                                                  const IntervalFlags&, double, const AfOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ATRIAL_FIBRILLATION)

}  // namespace beatscan
