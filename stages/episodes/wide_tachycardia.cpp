#include "stages/episodes/wide_tachycardia.h"

#include <algorithm>
#include <cmath>

#include "stages/episodes/episode.h"
#include "stages/episodes/episode_options.h"
#include "stages/episodes/intervals.h"

namespace beatscan {
namespace {

constexpr std::int64_t kFewestBeats = 3;

// The beats within an episode, and their intervals in samples.
struct BeatsWithin {
  std::int64_t first, last;
  double mean = 0, deviation = 0;
  BeatsWithin(const RhythmBeats& beats, const Episode& episode)
      : first(std::ranges::lower_bound(beats.r_peaks, episode.start) - beats.r_peaks.begin()),
        last(std::ranges::upper_bound(beats.r_peaks, episode.end) - beats.r_peaks.begin() - 1) {
    if (count() < 2) return;
    mean = (beats.r_peaks[last] - beats.r_peaks[first]) / static_cast<double>(count() - 1);
    double squares = 0;
    for (std::int64_t i = first; i < last; ++i) squares += std::pow(interval_of(beats, i) - mean, 2);
    deviation = std::sqrt(squares / static_cast<double>(count() - 1));
  }
  std::int64_t count() const { return last - first + 1; }
  bool is_faster(const RhythmBeats& beats, double bpm) const { return mean * bpm < 60 * beats.sample_rate_hz; }
  bool cover(const Episode& episode, double share) const {
    return mean * static_cast<double>(count()) >= share * (episode.end - episode.start);
  }
};

}  // namespace

bool is_wide_tachycardia(const RhythmBeats& beats, const Episode& episode, const WideTachycardiaOptions& options) {
  const BeatsWithin its(beats, episode);
  if (its.count() < kFewestBeats) return false;
  const auto wide = std::ranges::count(beats.kinds.subspan(its.first, its.count()), Kind::ventricular);
  if (static_cast<double>(wide) < options.wide_share * static_cast<double>(its.count())) return false;
  return its.deviation < options.variation * its.mean && its.mean * options.fastest_bpm > 60 * beats.sample_rate_hz &&
         its.is_faster(beats, options.slowest_bpm) && its.cover(episode, options.covered);
}

bool has_regular_beats(const RhythmBeats& beats, const Episode& episode, const WideTachycardiaOptions& options) {
  const BeatsWithin its(beats, episode);
  return its.count() >= options.regular_beats && its.deviation < options.regular_variation * its.mean &&
         !its.is_faster(beats, options.fastest_bpm) && its.cover(episode, options.regular_covered);
}

}  // namespace beatscan
