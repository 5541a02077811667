#include "stages/episodes/rates.h"

#include <algorithm>

#include "kernels/rhythm/alike_intervals.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

template <class Context>
std::vector<Episode> slow_and_fast(Context& context, const RhythmBeats& beats, const IntervalFlags& linked,
                                   const IntervalFlags& hidden, const IntervalFlags& in_af, double samples,
                                   const RateOptions& options) {
  IntervalFlags usable = usable_intervals(beats, linked, [](Kind kind) { return kind == Kind::normal; });
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
  // Half of the intervals may be short though the rate is not high, as in bigeminy: the rate of the whole counts, too.
  const auto add = [&](EpisodeLabel label, auto&& holds_for) {
    std::vector<std::uint8_t> holds(medians.size());
    std::ranges::transform(medians, holds.begin(), holds_for);
    for (const auto& run : joined_runs(beats, places, holds, walls, join)) {
      const Episode episode = episode_of(beats, run, label);
      const double mean = (episode.end - episode.start) / static_cast<double>(episode.beats - 1);
      if (episode.end - episode.start >= least && holds_for(mean)) episodes.push_back(episode);
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
