#include "stages/rhythm/rates.h"

#include <algorithm>
#include <numeric>

#include "kernels/rhythm/running_medians.h"
#include "kernels/runtime/buffer.h"
#include "stages/rhythm/episode_options.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {
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
