#include "stages/findings/bumps.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr std::int64_t kIntervals = 9;     // on either side that tell the usual one
constexpr std::int64_t kGapsAThread = 64;  // fewest that a thread takes at a time

// The beats between two N beats that follow each other, with V beats among them.
struct Gap {
  std::int64_t row;          // place of the second N beat among the N rows; their number behind the last one
  std::int64_t first, last;  // the N beats; -1 and K at the ends
  double usual = 0;          // interval around them, samples; 0: not known
  bool bent = false;         // so is the line around them
};

struct NormalRows {
  std::vector<std::int64_t> rows;       // [N] of the N beats
  std::vector<std::int64_t> intervals;  // beats i where i and i + 1 are N, with a known interval
};

NormalRows normal_rows(const BumpBeats& beats) {
  NormalRows normal;
  for (std::int64_t b = 0; b < std::ssize(beats.kept); ++b)
    if (beats.kinds[beats.kept[b]] == Kind::normal) normal.rows.push_back(b);
  for (std::int64_t i = 0; i + 1 < std::ssize(beats.kinds); ++i)
    if (beats.kinds[i] == Kind::normal && beats.kinds[i + 1] == Kind::normal && !beats.broken[i])
      normal.intervals.push_back(i);
  return normal;
}

std::vector<Gap> gaps_with_v(const BumpBeats& beats, const NormalRows& normal) {
  std::vector<Gap> gaps;
  const std::int64_t rows = std::ssize(normal.rows);
  for (std::int64_t n = 0; n <= rows; ++n) {
    const Gap gap{.row = n,
                  .first = n > 0 ? beats.kept[normal.rows[n - 1]] : -1,
                  .last = n < rows ? beats.kept[normal.rows[n]] : std::ssize(beats.kinds)};
    const auto between = std::span(beats.kinds).subspan(gap.first + 1, gap.last - gap.first - 1);
    if (std::ranges::find(between, Kind::ventricular) != between.end()) gaps.push_back(gap);
  }
  return gaps;
}

// Returns the median of the intervals between N beats that are nearest to beat i; 0 where there are none.
double usual_interval(const BumpBeats& beats, const NormalRows& normal, std::int64_t i) {
  const auto& all = normal.intervals;
  const auto here = std::ranges::lower_bound(all, i);
  const auto from = here - std::min<std::int64_t>(kIntervals, here - all.begin()),
             to = here + std::min<std::int64_t>(kIntervals, all.end() - here);
  std::vector<double> around;
  for (auto k = from; k != to; ++k) around.push_back(beats.r_peaks[*k + 1] - beats.r_peaks[*k]);
  return around.empty() ? 0 : quantile(around, 0.5);
}

// Tells whether the N beats around a gap are odd and in noise.
bool is_bent(const BumpBeats& beats, const NormalRows& normal, std::int64_t row, const BumpOptions& options) {
  const std::int64_t from = std::max<std::int64_t>(0, row - options.beats),
                     to = std::min(std::ssize(normal.rows), row + options.beats);
  std::vector<double> odd, noise;
  for (std::int64_t n = from; n < to; ++n) {
    const std::int64_t b = normal.rows[n];
    if (!std::isfinite(beats.odd[b]) || !std::isfinite(beats.noise[b])) continue;
    odd.push_back(beats.odd[b]);
    noise.push_back(beats.noise[b]);
  }
  return !odd.empty() && quantile(odd, 0.5) >= options.least_odd && quantile(noise, 0.5) >= options.least_noise;
}

// Tells whether usual beats go on in time from the first N beat of a gap to the last one.
bool goes_on(const BumpBeats& beats, const Gap& gap, const BumpOptions& options) {
  const auto& r_peaks = beats.r_peaks;
  if (gap.usual <= 0 || gap.first < 0 || gap.last == std::ssize(r_peaks)) return false;
  const auto broken = std::span(beats.broken).subspan(gap.first, gap.last - gap.first);
  if (std::ranges::find(broken, 1) != broken.end()) return false;
  const double first = r_peaks[gap.first], length = r_peaks[gap.last] - first, within = options.in_time * gap.usual;
  const auto intervals = static_cast<std::int64_t>(std::llround(length / gap.usual));
  if (intervals < 1 || intervals > options.most_apart ||
      std::abs(length - static_cast<double>(intervals) * gap.usual) >
          within * std::sqrt(static_cast<double>(intervals)))
    return false;
  for (std::int64_t k = 1; k < intervals; ++k) {
    const double at = first + static_cast<double>(k) * length / static_cast<double>(intervals);
    const auto next = std::lower_bound(r_peaks.begin() + gap.first + 1, r_peaks.begin() + gap.last, at - within);
    if (next == r_peaks.begin() + gap.last || *next > at + within) return false;
  }
  return true;
}

// A V beat where the line is bent.
struct Doubtful {
  std::int64_t beat;
  double usual;  // interval around it, samples
  bool told;     // usual beats go on in time around it
};

std::vector<Doubtful> doubtful_beats(const BumpBeats& beats, const std::vector<Gap>& gaps, const BumpOptions& options) {
  std::vector<Doubtful> doubtful;
  for (const Gap& gap : gaps) {
    if (!gap.bent) continue;
    const bool told = goes_on(beats, gap, options);
    for (std::int64_t i = gap.first + 1; i < gap.last; ++i)
      if (beats.kinds[i] == Kind::ventricular) doubtful.push_back({i, gap.usual, told});
  }
  return doubtful;
}

// The V beats of a recording, and how many of those before each are told to be bumps.
struct VentricularTimes {
  std::vector<double> at;          // [V] samples
  std::vector<std::int64_t> told;  // [V + 1]
};

VentricularTimes ventricular_times(const BumpBeats& beats, const std::vector<Doubtful>& doubtful) {
  VentricularTimes times{.at = {}, .told = {0}};
  auto next = doubtful.begin();
  for (std::int64_t i = 0; i < std::ssize(beats.kinds); ++i) {
    if (beats.kinds[i] != Kind::ventricular) continue;
    const bool is_doubtful = next != doubtful.end() && next->beat == i;
    times.at.push_back(beats.r_peaks[i]);
    times.told.push_back(times.told.back() + (is_doubtful && next->told));
    next += is_doubtful;
  }
  return times;
}

// Tells whether V beats near this one are told to be bumps.
bool is_among_bumps(const VentricularTimes& times, double at, double usual, const BumpOptions& options) {
  const auto from = std::ranges::lower_bound(times.at, at - options.reach * usual) - times.at.begin(),
             to = std::ranges::upper_bound(times.at, at + options.reach * usual) - times.at.begin();
  const std::int64_t told = times.told[to] - times.told[from];
  return told >= options.least_beats &&
         static_cast<double>(told) >= options.least_share * static_cast<double>(to - from);
}

}  // namespace

Bumps bumps_of(const BumpBeats& beats, const BumpOptions& options) {
  BEATSCAN_EXPECTS(beats.kinds.size() == beats.r_peaks.size() &&
                       beats.broken.size() + !beats.r_peaks.empty() == beats.r_peaks.size() &&
                       beats.noise.size() == beats.kept.size() && beats.odd.size() == beats.kept.size(),
                   "bumps_of: bad shape");
  const auto normal = normal_rows(beats);
  auto gaps = gaps_with_v(beats, normal);
  parallel_for(Cpu(), std::ssize(gaps), kGapsAThread, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t g = first; g < last; ++g) {
      gaps[g].bent = is_bent(beats, normal, gaps[g].row, options);
      if (gaps[g].bent) gaps[g].usual = usual_interval(beats, normal, gaps[g].first);
    }
  });
  const auto doubtful = doubtful_beats(beats, gaps, options);
  const auto times = ventricular_times(beats, doubtful);
  Bumps bumps{.beats = {}, .bent = std::vector<std::uint8_t>(beats.kinds.size())};
  for (const Doubtful& its : doubtful) {
    bumps.bent[its.beat] = 1;
    if (its.told || is_among_bumps(times, beats.r_peaks[its.beat], its.usual, options)) bumps.beats.push_back(its.beat);
  }
  return bumps;
}

}  // namespace beatscan
