#include "stages/episodes/wide_tachycardia.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace beatscan {
namespace {

constexpr std::int64_t kFewestBeats = 3;

// Returns the number of V beats of the template that has most of them.
std::int64_t most_of_one_shape(const RhythmBeats& beats, std::int64_t first, std::int64_t last) {
  std::map<std::int32_t, std::int64_t> counts;
  std::int64_t most = 0;
  for (std::int64_t i = first; i <= last; ++i)
    if (beats.kinds[i] == Kind::ventricular && beats.templates[i] >= 0)
      most = std::max(most, ++counts[beats.templates[i]]);
  return most;
}

}  // namespace

bool is_wide_tachycardia(const RhythmBeats& beats, const Episode& episode, const WideTachycardiaOptions& options) {
  if (beats.templates.empty()) return false;
  const std::int64_t first = std::ranges::lower_bound(beats.r_peaks, episode.start) - beats.r_peaks.begin();
  const std::int64_t last = std::ranges::upper_bound(beats.r_peaks, episode.end) - beats.r_peaks.begin() - 1;
  const std::int64_t count = last - first + 1;
  if (count < kFewestBeats) return false;
  if (static_cast<double>(most_of_one_shape(beats, first, last)) < options.one_shape * static_cast<double>(count))
    return false;
  const double mean = (beats.r_peaks[last] - beats.r_peaks[first]) / static_cast<double>(count - 1);
  double squares = 0;
  for (std::int64_t i = first; i < last; ++i) squares += std::pow(interval_of(beats, i) - mean, 2);
  const double deviation = std::sqrt(squares / static_cast<double>(count - 1));
  return deviation < options.variation * mean && mean * options.fastest_bpm > 60 * beats.sample_rate_hz;
}

}  // namespace beatscan
