#include "app/result/words/irregular_stretches.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "app/result/words/told_spans.h"
#include "app/text/numbers.h"
#include "stages/common/counted.h"
#include "stages/episodes/breathing.h"
#include "stages/episodes/episode.h"

namespace beatscan {
namespace {

constexpr std::int64_t kStretch = 24, kLagged = 3;        // intervals
constexpr double kStepShare = 0.15, kAnyOfThree = 0.055;  // of the interval
constexpr double kLongestStretch_s = 60;
constexpr double kMostWaves = 1.25;  // of 24 intervals; one of a hundred random sequences has more
constexpr std::int64_t kFewestPairs = 20;
constexpr double kMostJumps = 0.1;  // of the pairs

// An interval whose three before it are known, too.
struct LaggedInterval {
  std::int64_t beat;        // at which it begins
  bool is_step, is_unlike;  // the one before, and all three
};

// Says which intervals lie between N or S beats in good signal, and not in what is told otherwise, [K - 1].
std::vector<std::uint8_t> usable_for_stretches(const RunResult& result) {
  const BeatList& found = result.beats.found;
  const auto& kinds = result.findings->kinds;
  const auto counts = [&](std::size_t i) {
    return found.quality[i] == Quality::good && (kinds[i] == Kind::normal || kinds[i] == Kind::supraventricular);
  };
  std::vector<std::uint8_t> usable(found.broken.size());
  for (std::size_t i = 0; i < usable.size(); ++i) usable[i] = !found.broken[i] && counts(i) && counts(i + 1);
  using enum EpisodeLabel;
  for (const TimeSpan& its :
       told_spans(result, {atrial_fibrillation, ventricular_fibrillation, ventricular_flutter, noise})) {
    const auto from = std::ranges::lower_bound(found.r_peaks, its.start) - found.r_peaks.begin();
    for (auto i = std::max<std::int64_t>(from - 1, 0); i < std::ssize(usable) && found.r_peaks[i] < its.end; ++i)
      usable[i] = 0;
  }
  return usable;
}

std::vector<LaggedInterval> lagged_intervals(const RunResult& result) {
  const auto& r_peaks = result.beats.found.r_peaks;
  const auto usable = usable_for_stretches(result);
  std::vector<LaggedInterval> some;
  std::int64_t run = 0;
  for (std::int64_t i = 0; i < std::ssize(usable); ++i) {
    run = usable[i] ? run + 1 : 0;
    if (run <= kLagged) continue;
    const double own = r_peaks[i + 1] - r_peaks[i];
    const auto differs = [&](std::int64_t lag, double share) {
      const double before = r_peaks[i - lag + 1] - r_peaks[i - lag];
      return std::abs(own - before) >= share * own;
    };
    some.push_back(
        {i, differs(1, kStepShare), differs(1, kAnyOfThree) && differs(2, kAnyOfThree) && differs(3, kAnyOfThree)});
  }
  return some;
}

// Says whether a stretch takes less than a minute, and its intervals do not go up and down as with breathing.
bool is_brief_without_waves(const RunResult& result, std::span<const LaggedInterval> stretch) {
  const auto& r_peaks = result.beats.found.r_peaks;
  const double length = r_peaks[stretch.back().beat + 1] - r_peaks[stretch.front().beat];
  if (!(length < kLongestStretch_s * *result.input.sample_rate_hz)) return false;
  std::vector<double> rr;
  for (const LaggedInterval& its : stretch) rr.push_back(r_peaks[its.beat + 1] - r_peaks[its.beat]);
  return breathing_waves(rr, kStretch) < kMostWaves;
}

}  // namespace

std::string irregular_stretches_warning(const RunResult& result) {
  const auto& r_peaks = result.beats.found.r_peaks;
  if (!result.rhythm || !result.input.sample_rate_hz || result.findings->kinds.size() != r_peaks.size()) return "";
  const auto intervals = lagged_intervals(result);
  std::int64_t stretches = 0, first = -1, steps = 0, unlike = 0;
  for (std::int64_t last = 0, begin = 0; last < std::ssize(intervals); ++last) {  // of the intervals [begin, last]
    steps += intervals[last].is_step;
    unlike += intervals[last].is_unlike;
    if (last - begin + 1 < kStretch) continue;
    if (2 * steps >= kStretch && 2 * unlike >= kStretch &&
        is_brief_without_waves(result, std::span(intervals).subspan(begin, kStretch))) {
      if (stretches++ == 0) first = intervals[begin].beat;
      begin = last + 1, steps = unlike = 0;
      continue;
    }
    steps -= intervals[begin].is_step;
    unlike -= intervals[begin].is_unlike;
    ++begin;
  }
  if (stretches == 0) return "";
  return grouped(stretches, "stretch", "stretches") + " of " + grouped(kStretch) + " intervals, " +
         by_count(stretches, "", "the first ") + "at " + fixed(second_of(result, r_peaks[first]), 1) + " s, " +
         by_count(stretches, "comes", "come") +
         " irregularly: atrial fibrillation of less than about 80 beats looks like that and is not told as AFIB, and "
         "early beats in numbers do, too; look at the signal";
}

std::string variability_warning(const RunResult& result) {
  if (!result.rhythm) return "";
  const Hrv& hrv = result.rhythm->hrv;
  if (hrv.pairs < kFewestPairs || static_cast<double>(hrv.jumps) <= kMostJumps * static_cast<double>(hrv.pairs))
    return "";
  return "heart rate variability (RMSSD, SDNN, LF, HF) may not be that of sinus rhythm alone: " +
         percent(static_cast<double>(hrv.jumps) / static_cast<double>(hrv.pairs)) +
         " of the intervals that it is told by differ from the one before by more than 20 %, as where early beats "
         "count as N; strong breathing, as of the young, does so, too";
}

}  // namespace beatscan
