#include "app/result/words/run_doubts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "app/result/words/beat_rows.h"
#include "app/result/words/told_spans.h"
#include "app/text/numbers.h"
#include "stages/common/robust.h"
#include "stages/findings/beat_times.h"
#include "stages/findings/even_runs.h"
#include "stages/findings/finding_options.h"

namespace beatscan {
namespace {

constexpr std::int64_t kFewestSmooth = 8, kBeside = 3;  // V beats; intervals on either side of a run
constexpr double kNoJump = 0.1;                         // of the interval
constexpr std::int64_t kFewestGradual = 5, kFewestGradualRuns = 3, kLongGradual = 10;  // S beats, runs, S beats
constexpr double kOnsetJump = 0.85, kEndJump = 1.15;                                   // of the interval before
constexpr std::int64_t kFewestSlow = 6;
constexpr double kHardlyFaster = 0.7;  // of the usual interval
constexpr double kDouble = 0.15;       // of the intervals beside it
constexpr double kSurelyLonger = 1.5;  // a double interval is at least 1.68 of the one before
constexpr std::int64_t kFewestDouble = 3;
constexpr std::int64_t kFewestUnknown = 5, kUsualAround = 9;
constexpr double kFast_s = 0.6, kFaster = 0.85, kEven = 0.15, kMostlyEven = 0.8, kOutlier = 1.5;
constexpr std::int64_t kManyIntervals = 10;  // of fewer none may be an outlier

// Returns the interval behind a beat; NaN where it is broken or there is none.
double interval_at(const BeatList& found, std::int64_t beat) {
  if (beat < 0 || beat >= std::ssize(found.broken) || found.broken[beat]) return NAN;
  return found.r_peaks[beat + 1] - found.r_peaks[beat];
}

bool is_alike(double interval, double other) { return std::abs(interval - other) <= kNoJump * other; }

// Says whether the rate does not jump where a run meets the usual beats beside it.
//   usual    the first of the intervals between these
//   between  the interval from one to the other
//   inside   the interval of the run beside it
bool meets_smoothly(const BeatList& found, const std::vector<Kind>& kinds, std::int64_t usual, std::int64_t between,
                    std::int64_t inside) {
  if (usual < 0 || usual + kBeside >= std::ssize(kinds)) return false;
  std::vector<double> beside;
  for (std::int64_t i = usual; i < usual + kBeside; ++i) beside.push_back(interval_at(found, i));
  if (std::count(kinds.begin() + usual, kinds.begin() + usual + kBeside + 1, Kind::ventricular) > 0) return false;
  if (std::ranges::any_of(beside, [](double its) { return std::isnan(its); })) return false;
  const double joint = interval_at(found, between);
  return is_alike(joint, quantile(beside, 0.5)) && is_alike(interval_at(found, inside), joint);
}

// Returns the intervals between two beats that are usual.
template <class IsUsual>
std::vector<std::int64_t> intervals_between(const BeatList& found, const IsUsual& is_usual) {
  std::vector<std::int64_t> usual;
  for (std::int64_t i = 0; i < std::ssize(found.broken); ++i)
    if (!found.broken[i] && is_usual(i) && is_usual(i + 1)) usual.push_back(i);
  return usual;
}

// Returns the intervals within a row of beats.
std::vector<double> intervals_of(const BeatList& found, const BeatRow& row) {
  std::vector<double> intervals;
  for (std::int64_t i = row.first; i + 1 < row.last; ++i) intervals.push_back(interval_at(found, i));
  return intervals;
}

bool is_fast_and_even(const BeatList& found, const BeatRow& run, const std::vector<std::int64_t>& usual,
                      double rate_hz) {
  const auto intervals = intervals_of(found, run);
  const double middle = quantile(intervals, 0.5),
               around = median_interval(found.r_peaks, usual, (run.first + run.last) / 2, kUsualAround);
  const auto even =
      std::ranges::count_if(intervals, [=](double its) { return std::abs(its - middle) <= kEven * middle; });
  if (std::ssize(intervals) < kManyIntervals && *std::ranges::max_element(intervals) > kOutlier * middle) return false;
  return middle < kFast_s * rate_hz && middle < kFaster * around &&
         static_cast<double>(even) >= kMostlyEven * static_cast<double>(intervals.size());
}

// Says whether a run of S beats begins or ends with a jump of the rate, or where that is not known.
bool has_jump(const BeatList& found, const std::vector<Kind>& kinds, const BeatRow& run) {
  const auto is_v = [&](std::int64_t i) { return kinds[i] == Kind::ventricular; };
  if (run.first < 2 || run.last + 1 >= std::ssize(kinds)) return true;
  if (is_v(run.first - 1) || is_v(run.first - 2) || is_v(run.last)) return true;
  const double onset = interval_at(found, run.first - 1) / interval_at(found, run.first - 2),
               end = interval_at(found, run.last - 1) / interval_at(found, run.last - 2);
  return !(onset >= kOnsetJump && end <= kEndJump);
}

// Counts the runs that a warning tells of.
struct ToldRuns {
  std::int64_t count = 0, beats = 0, first = -1;  // `first` is the first beat of the first run
  void add(const BeatRow& run) { add(run, run.beats()); }
  void add(const BeatRow& run, std::int64_t told) {
    if (count++ == 0) first = run.first;
    beats += told;
  }
  // Returns "12 S beats in 2 runs, the first at 80.0 s, ".
  //   of  how many beats there are, and of which kind: "12 S beats"
  std::string words(const RunResult& result, const std::string& of) const {
    return of + " in " + grouped(count, "run") + ", the first at " +
           fixed(second_of(result, result.beats.found.r_peaks[first]), 1) + " s, ";
  }
};

// Says whether an interval is twice as long as the two on either side, which are alike.
bool is_double(const BeatList& found, std::int64_t i) {
  if (!(interval_at(found, i) > kSurelyLonger * interval_at(found, i - 1))) return false;  // as nearly all
  std::vector<double> beside;
  for (const std::int64_t j : {i - 2, i - 1, i + 1, i + 2}) beside.push_back(interval_at(found, j));
  if (std::ranges::any_of(beside, [](double its) { return std::isnan(its); })) return false;
  const double middle = quantile(beside, 0.5);
  return std::ranges::all_of(beside, [=](double its) { return is_alike(its, middle); }) &&
         std::abs(interval_at(found, i) - 2 * middle) <= kDouble * middle;
}

}  // namespace

std::string gradual_runs_warning(const RunResult& result) {
  const BeatList& found = result.beats.found;
  const auto& kinds = result.findings->kinds;
  const auto fibrillation = told_spans(result, {EpisodeLabel::atrial_fibrillation});
  ToldRuns runs;
  std::int64_t longest = 0;
  for (const BeatRow& run : rows_of(found, [&](std::int64_t i) { return kinds[i] == Kind::supraventricular; })) {
    if (run.beats() < kFewestGradual || has_jump(found, kinds, run) ||
        is_within(fibrillation, found.r_peaks[run.first]))
      continue;
    runs.add(run);
    longest = std::max(longest, run.beats());
  }
  if (runs.count == 0 || (runs.count < kFewestGradualRuns && longest < kLongGradual)) return "";
  return runs.words(result, grouped(runs.beats, "S beat")) +
         "begin and end gradually: sinus rhythm that becomes faster for a while, as with exercise, a change of "
         "posture or breathing that stops in sleep, looks like that; these beats may be normal, SVT may be none, and "
         "heart rate variability lacks them. An atrial tachycardia may begin and end so, too";
}

std::string slow_runs_warning(const RunResult& result) {
  const BeatList& found = result.beats.found;
  const auto& kinds = result.findings->kinds;
  const auto usual = intervals_between(found, [&](std::int64_t i) { return kinds[i] == Kind::normal; });
  if (usual.empty() || !result.input.sample_rate_hz) return "";
  const auto fibrillation = told_spans(result, {EpisodeLabel::atrial_fibrillation});
  ToldRuns runs;
  for (const BeatRow& run : rows_of(found, [&](std::int64_t i) { return kinds[i] == Kind::supraventricular; })) {
    if (run.beats() < kFewestSlow || is_within(fibrillation, found.r_peaks[run.first])) continue;
    const double around = median_interval(found.r_peaks, usual, (run.first + run.last) / 2, kUsualAround);
    const double own = quantile(intervals_of(found, run), 0.5);
    if (own < kHardlyFaster * around && own < kFast_s * *result.input.sample_rate_hz) continue;
    runs.add(run);
  }
  if (runs.count == 0) return "";
  return runs.words(result, grouped(runs.beats, "S beat")) +
         "are hardly faster than the beats around them, or slower than 100 a minute: a supraventricular "
         "tachycardia may be like that, and so is sinus rhythm that is back after a slower one, as a junctional rhythm "
         "or a block; look at the strip";
}

std::string turns_warning(const RunResult& result) {
  const BeatList& found = result.beats.found;
  const auto& kinds = result.findings->kinds;
  if (!result.input.sample_rate_hz || kinds.empty()) return "";
  std::vector<double> rr{NAN};
  std::vector<std::uint8_t> aside;
  for (std::int64_t i = 0; i + 1 < std::ssize(kinds); ++i) rr.push_back(interval_at(found, i));
  for (const Kind its : kinds) aside.push_back(its != Kind::normal && its != Kind::supraventricular);
  const std::vector<double> any_reference(rr.size(), INFINITY), no_change(rr.size());
  const auto even = even_runs(rr, any_reference, no_change, aside, *result.input.sample_rate_hz, {});
  if (!take_turns(even)) return "";
  ToldRuns runs;
  for (const BeatRow& run : rows_of(found, [&](std::int64_t i) { return even[i] && kinds[i] == Kind::normal; })) {
    if (run.beats() < kFewestSlow) continue;
    runs.add(run);
  }
  if (runs.count == 0) return "";
  return runs.words(result, grouped(runs.beats, "N beat")) +
         "begin and end at once and come faster than the beats around them. They are not told as S because more "
         "than a quarter of all beats are like that: a tachycardia may come so often, or a slower rhythm, as a "
         "junctional one, takes turns with sinus rhythm; look at the strip";
}

std::string double_intervals_warning(const RunResult& result) {
  const BeatList& found = result.beats.found;
  const auto& kinds = result.findings->kinds;
  std::int64_t count = 0, first = -1;
  for (std::int64_t i = 2; i + 2 < std::ssize(found.broken); ++i) {
    const bool is_sure = found.quality[i] == Quality::good && found.quality[i + 1] == Quality::good &&
                         kinds[i] == Kind::normal && kinds[i + 1] == Kind::normal;
    if (is_sure && is_double(found, i) && count++ == 0) first = i;
  }
  if (count < kFewestDouble) return "";
  return grouped(count, "interval") + " between normal beats, the first at " +
         fixed(second_of(result, found.r_peaks[first]), 1) +
         " s, are twice as long as those beside them: a beat may be missing in each, as where samples were lost and "
         "filled up by a line, or be blocked (SA block); pauses and heart rate variability count these intervals";
}

std::string smooth_run_warning(const RunResult& result) {
  const BeatList& found = result.beats.found;
  const auto& kinds = result.findings->kinds;
  const auto is_v = [&](std::int64_t i) { return kinds[i] == Kind::ventricular; };
  BeatRow longest;
  std::int64_t runs = 0;
  for (const BeatRow& run : rows_of(found, is_v)) {
    if (run.beats() < kFewestSmooth ||
        !meets_smoothly(found, kinds, run.first - 1 - kBeside, run.first - 1, run.first) ||
        !meets_smoothly(found, kinds, run.last, run.last - 1, run.last - 2))
      continue;
    ++runs;
    if (run.beats() > longest.beats()) longest = run;
  }
  if (runs == 0) return "";
  return grouped(longest.beats()) + " V beats in a row from " +
         fixed(second_of(result, found.r_peaks[longest.first]), 1) + " s" +
         (runs > 1 ? ", and " + grouped(runs - 1, "other run", "other runs") + "," : "") +
         " begin and end without a jump of the rate: a bundle branch block that comes when the heart beats faster "
         "looks like that, and a ventricular tachycardia hardly does; look at the strip";
}

std::string unknown_runs_warning(const RunResult& result) {
  const BeatList& found = result.beats.found;
  const Findings& findings = *result.findings;
  if (findings.templates.size() != findings.kinds.size()) return "";
  const auto is_artefact = [&](std::int64_t i) {
    return std::ranges::binary_search(result.doubts.steps, i) || std::ranges::binary_search(result.doubts.bursts, i);
  };
  const auto is_in_fibrillation = [&](std::int64_t i) {
    const auto hidden = [&](std::int64_t interval) {
      return result.rhythm && interval >= 0 && interval < std::ssize(result.rhythm->episodes.hidden) &&
             result.rhythm->episodes.hidden[interval] != 0;
    };
    return hidden(i - 1) || hidden(i);
  };
  const auto is_unknown = [&](std::int64_t i) {
    return findings.kinds[i] == Kind::unknown && findings.templates[i] >= 0 && !findings.is_paced(i) &&
           !findings.is_bump(i) && !is_artefact(i) && !is_in_fibrillation(i);
  };
  const auto is_usual = [&](std::int64_t i) {
    return findings.kinds[i] != Kind::ventricular && findings.kinds[i] != Kind::unknown;
  };
  const auto runs =
      rows_of(found, [&](std::int64_t i) { return findings.kinds[i] == Kind::ventricular || is_unknown(i); });
  std::vector<std::int64_t> usual;
  ToldRuns told;
  for (const BeatRow& run : runs) {
    std::int64_t unknown = 0;
    for (std::int64_t i = run.first; i < run.last; ++i) unknown += is_unknown(i);
    if (unknown < kFewestUnknown) continue;
    if (usual.empty()) usual = intervals_between(found, is_usual);
    if (usual.empty() || !is_fast_and_even(found, run, usual, *result.input.sample_rate_hz)) continue;
    told.add(run, unknown);
  }
  if (told.count == 0) return "";
  return told.words(result, grouped(told.beats, "beat") + " of kind Q") +
         "come fast and evenly: they are not told as a ventricular tachycardia (VT) because noise may have made "
         "their shapes, but one in noise looks like that; look at the strip";
}

}  // namespace beatscan
