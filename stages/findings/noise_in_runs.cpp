#include "stages/findings/noise_in_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stages/common/robust.h"
#include "stages/findings/beat_class.h"
#include "stages/findings/kinds.h"

namespace beatscan {
namespace {

constexpr double kAlikeIntervals = 0.15, kFastInterval = 0.65;  // of the longer interval, of the usual one
constexpr std::int64_t kNoiseAround = 10;                       // N rows on either side

// Returns the rows that are N, ascending.
std::vector<std::int64_t> normal_rows(const std::vector<Kind>& kinds) {
  std::vector<std::int64_t> rows;
  for (std::int64_t b = 0; b < std::ssize(kinds); ++b)
    if (kinds[b] == Kind::normal) rows.push_back(b);
  return rows;
}

// Returns the median interval between two N beats in a row; 0 without any.
double usual_interval(const KindBeats& beats, const std::vector<std::int64_t>& normal) {
  std::vector<double> intervals;
  for (std::size_t n = 0; n + 1 < normal.size(); ++n) {
    const std::int64_t i = beats.kept[normal[n]];
    if (beats.kept[normal[n + 1]] == i + 1 && !beats.broken[i])
      intervals.push_back(beats.r_peaks[i + 1] - beats.r_peaks[i]);
  }
  return intervals.empty() ? 0 : upper_median(intervals);
}

// Returns the first rows of three V beats in a row whose intervals are known and alike.
std::vector<std::int64_t> even_triples(const KindBeats& beats, const std::vector<Kind>& kinds) {
  std::vector<std::int64_t> firsts;
  const auto is_v = [&](std::int64_t b) { return kinds[b] == Kind::ventricular; };
  for (std::int64_t b = 0; b + 2 < std::ssize(kinds); ++b) {
    const std::int64_t i = beats.kept[b];
    if (!is_v(b) || !is_v(b + 1) || !is_v(b + 2) || beats.kept[b + 2] != i + 2 || beats.broken[i] ||
        beats.broken[i + 1])
      continue;
    const double first = beats.r_peaks[i + 1] - beats.r_peaks[i], second = beats.r_peaks[i + 2] - beats.r_peaks[i + 1];
    if (std::abs(first - second) <= kAlikeIntervals * std::max(first, second)) firsts.push_back(b);
  }
  return firsts;
}

// Returns the median noise of the N rows nearest to a row.
float noise_beside(const KindBeats& beats, const std::vector<std::int64_t>& normal, std::int64_t row) {
  const auto next = std::ranges::lower_bound(normal, row) - normal.begin(),
             first = std::max<std::int64_t>(next - kNoiseAround, 0),
             last = std::min(next + kNoiseAround, std::ssize(normal));
  std::vector<float> near;
  for (auto n = first; n < last; ++n) near.push_back(beats.noise[normal[n]]);
  return upper_median(near);
}

}  // namespace

std::vector<float> noise_in_runs(const KindBeats& beats, const std::vector<Kind>& kinds) {
  std::vector<float> noise(beats.noise.begin(), beats.noise.end());
  const auto firsts = even_triples(beats, kinds);
  if (firsts.empty()) return noise;
  const auto normal = normal_rows(kinds);
  const double usual = usual_interval(beats, normal);
  for (const std::int64_t first : firsts) {
    const std::int64_t i = beats.kept[first];
    if (std::max(beats.r_peaks[i + 1] - beats.r_peaks[i], beats.r_peaks[i + 2] - beats.r_peaks[i + 1]) >
        kFastInterval * usual)
      continue;
    for (std::int64_t b = first; b < first + 3; ++b)
      if (beats.good[b]) noise[b] = std::min(noise[b], noise_beside(beats, normal, b));
  }
  return noise;
}

}  // namespace beatscan
