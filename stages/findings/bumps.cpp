#include "stages/findings/bumps.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/robust.h"
#include "stages/findings/beat_class.h"
#include "stages/findings/beat_times.h"
#include "stages/findings/finding_options.h"

namespace beatscan {
namespace {

constexpr std::int64_t kIntervals = 9;       // number of intervals on either side whose median is the usual one
constexpr double kStale = 60;                // most usual intervals between a gap and the nearest of them
constexpr double kMostOff = 0.25;            // most difference of a gap from a whole number of usual intervals
constexpr std::int64_t kFewestOfRun = 3;     // V beats that may be a tachycardia
constexpr double kEven = 1.1, kFast = 0.75;  // longest over shortest interval of one; longest over the usual one
constexpr std::int64_t kGapsAThread = 64;    // fewest that a thread takes at a time

// Holds the N beats, and the intervals between two of them in a row.
struct NormalBeats {
  std::vector<std::int64_t> rows;       // [N]
  std::vector<std::int64_t> intervals;  // beats i where i and i + 1 are N, and the interval is known
};

NormalBeats normal_beats(const BumpBeats& beats, const std::vector<Kind>& kinds) {
  NormalBeats normal;
  for (std::int64_t b = 0; b < std::ssize(beats.kept); ++b)
    if (kinds[beats.kept[b]] == Kind::normal) normal.rows.push_back(b);
  for (std::int64_t i = 0; i + 1 < std::ssize(kinds); ++i)
    if (kinds[i] == Kind::normal && kinds[i + 1] == Kind::normal && !beats.broken[i]) normal.intervals.push_back(i);
  return normal;
}

// Two N beats with V beats between them, and no N beat.
struct Gap {
  std::int64_t row;          // place of the second N beat among the N rows; behind the last one, their number
  std::int64_t first, last;  // the two N beats; -1 and K at the ends of the recording
  double usual = 0;          // interval around the gap, samples; 0: not known
  bool bent = false;         // the line is bent around the gap
  bool told = false;         // usual beats go on in time through the gap
};

std::vector<Gap> gaps_with_v(const BumpBeats& beats, const NormalBeats& normal, const std::vector<Kind>& kinds) {
  std::vector<Gap> gaps;
  const std::int64_t rows = std::ssize(normal.rows);
  for (std::int64_t n = 0; n <= rows; ++n) {
    const Gap gap{.row = n,
                  .first = n > 0 ? beats.kept[normal.rows[n - 1]] : -1,
                  .last = n < rows ? beats.kept[normal.rows[n]] : std::ssize(kinds)};
    const auto between = std::span(kinds).subspan(gap.first + 1, gap.last - gap.first - 1);
    if (std::ranges::find(between, Kind::ventricular) != between.end()) gaps.push_back(gap);
  }
  return gaps;
}

// Returns the usual interval around a gap; 0 where no interval between N beats is near.
double usual_interval(const BumpBeats& beats, const NormalBeats& normal, const Gap& gap) {
  const std::int64_t inside = std::max<std::int64_t>(gap.first, 0);
  const double usual = median_interval(beats.r_peaks, normal.intervals, inside, kIntervals);
  const auto behind = std::ranges::lower_bound(normal.intervals, inside);
  const auto is_near = [&](std::int64_t a, std::int64_t b) {
    return beats.r_peaks[b] - beats.r_peaks[a] <= kStale * usual;
  };
  const bool near = (behind != normal.intervals.begin() && is_near(behind[-1] + 1, inside)) ||
                    (behind != normal.intervals.end() && is_near(inside, *behind));
  return near ? usual : 0;
}

// Tells whether the N beats near a gap are odd and in noise.
bool is_bent(const BumpBeats& beats, const NormalBeats& normal, const Gap& gap, const BumpOptions& options) {
  const std::int64_t from = std::max<std::int64_t>(0, gap.row - options.beats),
                     to = std::min(std::ssize(normal.rows), gap.row + options.beats);
  std::vector<double> odd, noise;
  for (std::int64_t n = from; n < to; ++n) {
    const std::int64_t b = normal.rows[n];
    if (!(beats.odd[b] <= options.most_odd) || !std::isfinite(beats.noise[b])) continue;
    odd.push_back(beats.odd[b]);
    noise.push_back(beats.noise[b]);
  }
  return !odd.empty() && quantile(odd, 0.5) >= options.least_odd && quantile(noise, 0.5) >= options.least_noise;
}

// Tells whether usual beats go on in time from the first N beat of a gap to the second one.
bool goes_on(const BumpBeats& beats, const Gap& gap, const BumpOptions& options) {
  const auto& r_peaks = beats.r_peaks;
  if (gap.first < 0 || gap.last == std::ssize(r_peaks)) return false;
  const auto broken = std::span(beats.broken).subspan(gap.first, gap.last - gap.first);
  if (std::ranges::find(broken, 1) != broken.end()) return false;
  const double first = r_peaks[gap.first], length = r_peaks[gap.last] - first;
  const auto intervals = std::llround(length / gap.usual);
  if (intervals < 1 || intervals > options.most_apart) return false;
  const auto count = static_cast<double>(intervals);
  if (std::abs(length / gap.usual - count) > std::min(options.in_time * std::sqrt(count), kMostOff)) return false;
  const double within = options.in_time * gap.usual;
  for (double k = 1; k < count; ++k) {
    const double at = first + k * length / count;
    const auto next = std::lower_bound(r_peaks.begin() + gap.first + 1, r_peaks.begin() + gap.last, at - within);
    if (next == r_peaks.begin() + gap.last || *next > at + within) return false;
  }
  return true;
}

// Tells whether a V beat is one of three or more in a row that come evenly and fast.
bool is_in_fast_run(const BumpBeats& beats, const std::vector<Kind>& kinds, std::int64_t beat, double usual) {
  const auto interval = [&](std::int64_t i) { return beats.r_peaks[i + 1] - beats.r_peaks[i]; };
  for (std::int64_t from = std::max<std::int64_t>(0, beat + 1 - kFewestOfRun); from <= beat; ++from) {
    const std::int64_t to = from + kFewestOfRun - 1;  // the last beat of three
    if (to >= std::ssize(kinds)) break;
    double shortest = interval(from), longest = shortest;
    bool is_run = kinds[from] == Kind::ventricular;
    for (std::int64_t i = from; i < to; ++i) {
      is_run &= kinds[i + 1] == Kind::ventricular && !beats.broken[i];
      shortest = std::min(shortest, interval(i));
      longest = std::max(longest, interval(i));
    }
    if (is_run && longest < kEven * shortest && longest < kFast * usual) return true;
  }
  return false;
}

// A V beat, and what its gap tells of it.
struct VBeat {
  std::int64_t beat;
  double at, usual;  // samples
  bool bent, told, may_be_run;
};

std::vector<VBeat> v_beats(const BumpBeats& beats, const std::vector<Gap>& gaps, const std::vector<Kind>& kinds) {
  std::vector<VBeat> found;
  for (const Gap& gap : gaps)
    for (std::int64_t i = gap.first + 1; i < gap.last; ++i)
      if (kinds[i] == Kind::ventricular)
        found.push_back({i, beats.r_peaks[i], gap.usual, gap.bent, gap.told,
                         gap.bent && is_in_fast_run(beats, kinds, i, gap.usual)});
  return found;
}

// Makes V beats Q that are told to be bumps, and those near bumps where the line is bent.
void make_unknown(const std::vector<VBeat>& v_beats, const BumpOptions& options, std::vector<Kind>& kinds) {
  std::vector<std::int64_t> told{0};  // number of bumps before each V beat
  for (const VBeat& its : v_beats) told.push_back(told.back() + (its.told && !its.may_be_run));
  for (const VBeat& its : v_beats) {
    if (!its.bent || its.may_be_run) continue;
    const double reach = options.reach * its.usual;
    const auto from = std::ranges::lower_bound(v_beats, its.at - reach, {}, &VBeat::at) - v_beats.begin(),
               to = std::ranges::upper_bound(v_beats, its.at + reach, {}, &VBeat::at) - v_beats.begin();
    const std::int64_t bumps = told[to] - told[from];
    if (its.told || (bumps >= options.least_beats &&
                     static_cast<double>(bumps) >= options.least_share * static_cast<double>(to - from)))
      kinds[its.beat] = Kind::unknown;
  }
}

}  // namespace

std::vector<std::uint8_t> tell_bumps(const BumpBeats& beats, const BumpOptions& options, std::vector<Kind>& kinds) {
  BEATSCAN_EXPECTS(kinds.size() == beats.r_peaks.size() &&
                       beats.broken.size() + !beats.r_peaks.empty() == beats.r_peaks.size() &&
                       beats.noise.size() == beats.kept.size() && beats.odd.size() == beats.kept.size(),
                   "tell_bumps: bad shape");
  const auto normal = normal_beats(beats, kinds);
  auto gaps = gaps_with_v(beats, normal, kinds);
  parallel_for(Cpu(), std::ssize(gaps), kGapsAThread, [&](std::int64_t first, std::int64_t last) {
    for (Gap& gap : std::span(gaps).subspan(first, last - first)) {
      if (!is_bent(beats, normal, gap, options)) continue;
      gap.usual = usual_interval(beats, normal, gap);
      gap.bent = gap.usual > 0;
      gap.told = gap.bent && goes_on(beats, gap, options);
    }
  });
  const auto found = v_beats(beats, gaps, kinds);
  std::vector<std::uint8_t> bent(kinds.size());
  for (const VBeat& its : found) bent[its.beat] = its.bent;
  make_unknown(found, options, kinds);
  return bent;
}

}  // namespace beatscan
