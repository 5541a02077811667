#include "app/result/words/doubt_warnings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>

#include "app/result/words/told_together.h"
#include "app/text/numbers.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr std::int64_t kLongWideRun = 15;               // V beats
constexpr float kHumming = 6;                           // noise factor, see noise.h
constexpr std::int64_t kFewHumming = 3;                 // V beats
constexpr double kManyHumming = 0.2;                    // share of the V beats
constexpr double kSoonest_s = 0.2, kTWave_s = 0.36;     // of an R peak to the tip of its T wave
constexpr double kEvenCoupling = 0.1, kNextBeat = 2.3;  // of the interval to a beat that follows
constexpr double kMostFollowed = 0.5;                   // of the other beats
constexpr std::int64_t kFewFollowed = 20;               // beats
constexpr double kFollowedWithin_s = 300, kSoonTWave_s = 0.32;
constexpr double kCommonShape = 0.2, kMostMixed = 0.03;        // shares of all beats, and of those of two shapes
constexpr double kMostMixedOfAll = 0.01, kLeastPart = 0.08;    // shares of all beats
constexpr std::int64_t kFewOfAShape = 30;                      // beats
constexpr double kLoopStep = 0.02;                             // samples
constexpr std::int64_t kFewOfALoop = 30;                       // intervals
constexpr std::int64_t kShortestLoop = 4, kLongestLoop = 400;  // beats
// Shares of the intervals. In a loop nearly all repeat; of 340 records no period has more than 0.07. In an even rhythm,
// in bigeminy and in trigeminy of a generated signal many repeat within fewer beats than kShortestLoop.
constexpr double kMostlyRepeated = 0.9, kLittleRepeated = 0.5;

std::string wide_run_warning(const RunResult& result) {
  const Episode* longest = nullptr;
  for (const Episode& its : result.rhythm->episodes.list)
    if (its.label == EpisodeLabel::idioventricular_rhythm && its.beats >= kLongWideRun &&
        (!longest || its.beats > longest->beats))
      longest = &its;
  if (!longest) return "";
  return grouped(longest->beats) + " V beats in a row (IVR) from " + fixed(second_of(result, longest->start), 1) +
         " s: a bundle branch block, a pacemaker, movement at an even rate, and a lead or gain that changed look "
         "alike; look at the strip";
}

std::string humming_warning(const RunResult& result) {
  const auto& kept = result.beats.kept;
  const auto& noise = result.scored.ranking->noise;
  std::int64_t humming = 0, all = 0, first = -1;
  for (std::size_t row = 0; row < kept.size() && row < noise.size(); ++row) {
    if (result.findings->kinds[kept[row]] != Kind::ventricular) continue;
    ++all;
    if (!(noise[row] >= kHumming)) continue;
    if (humming++ == 0) first = kept[row];
  }
  if (humming < kFewHumming || static_cast<double>(humming) < kManyHumming * static_cast<double>(all)) return "";
  return grouped(humming) + " of " + grouped(all) + " V beats, the first at " +
         fixed(second_of(result, result.beats.found.r_peaks[first]), 1) +
         " s, are in hum or muscle noise, which makes odd shapes: runs of them (VT, IVR) may be false";
}

// A V beat that follows another beat soon. The next beat does not come as soon, so that it is no part of a run.
struct FollowingBeat {
  double at_s, coupling_s;
};

std::vector<FollowingBeat> following_beats(const RunResult& result) {
  const auto& found = result.beats.found;
  const auto& kinds = result.findings->kinds;
  const auto count = std::ssize(kinds);
  const auto is_v = [&](std::int64_t i) { return i >= 0 && i < count && kinds[i] == Kind::ventricular; };
  const auto is_hidden = [&](std::int64_t i) {  // by ventricular fibrillation or flutter
    const auto& hidden = result.rhythm->episodes.hidden;
    return i < std::ssize(hidden) && hidden[i] != 0;
  };
  std::vector<FollowingBeat> following;
  for (std::int64_t i = 0; i + 1 < count && i < std::ssize(found.broken); ++i) {
    if (!is_v(i + 1) || found.broken[i] || is_hidden(i) || (is_v(i) && (is_v(i - 1) || is_v(i + 2)))) continue;
    const double coupling = second_of(result, found.r_peaks[i + 1] - found.r_peaks[i]);
    const bool next_is_near =
        i + 2 < count && second_of(result, found.r_peaks[i + 2] - found.r_peaks[i]) < kNextBeat * coupling;
    if (coupling >= kSoonest_s && coupling <= kTWave_s && !next_is_near)
      following.push_back({second_of(result, found.r_peaks[i + 1]), coupling});
  }
  return following;
}

// Returns the median interval at which some beats follow, if it is at most `longest` and nearly the same for all.
std::optional<double> even_coupling(std::span<const FollowingBeat> following, double longest) {
  std::vector<double> couplings;
  for (const auto& its : following) couplings.push_back(its.coupling_s);
  const double middle = quantile(couplings, 0.5), spread = quantile(couplings, 0.75) - quantile(couplings, 0.25);
  return middle <= longest && spread <= kEvenCoupling * middle ? std::optional(middle) : std::nullopt;
}

std::string t_wave_words(std::int64_t beats, const FollowingBeat& first, double coupling) {
  return grouped(beats) + " beats, many from " + fixed(first.at_s, 1) + " s on, are followed by one of kind V " +
         fixed(coupling, 2) + " s later: tall T waves that count as beats look like that, and double the heart rate";
}

// Tells of V beats that follow half of the others at one short interval, or many within a few minutes at a shorter one.
std::string t_wave_warning(const RunResult& result) {
  const auto following = following_beats(result);
  const std::span all(following);
  const auto count = std::ssize(all);
  if (count < kFewFollowed) return "";
  const auto& kinds = result.findings->kinds;
  const auto others = static_cast<double>(std::ssize(kinds) - std::ranges::count(kinds, Kind::ventricular));
  if (static_cast<double>(count) >= kMostFollowed * others)
    if (const auto coupling = even_coupling(all, kTWave_s)) return t_wave_words(count, all[0], *coupling);
  for (std::int64_t i = 0; i + kFewFollowed <= count; ++i) {
    const auto some = all.subspan(i, kFewFollowed);
    if (some.back().at_s - some.front().at_s > kFollowedWithin_s) continue;
    const auto coupling = even_coupling(some, kSoonTWave_s);
    if (!coupling) continue;
    const auto alike = std::ranges::count_if(all, [&](const FollowingBeat& its) {
      return std::abs(its.coupling_s - *coupling) <= kEvenCoupling * *coupling;
    });
    return t_wave_words(alike, some[0], *coupling);
  }
  return "";
}

// Tells whether flutter, fibrillation or noise, which are told by themselves, cover half of a row of beats.
bool is_told_otherwise(const RunResult& result, const FaintRow& row) {
  const auto& r_peaks = result.beats.found.r_peaks;
  const double from = r_peaks[row.first], to = r_peaks[row.last - 1];
  double covered = 0;
  for (const Episode& its : result.rhythm->episodes.list)
    if (its.label == EpisodeLabel::noise || its.label == EpisodeLabel::ventricular_fibrillation ||
        its.label == EpisodeLabel::ventricular_flutter)
      covered += std::max(std::min(its.end, to) - std::max(its.start, from), 0.0);
  return 2 * covered >= to - from;
}

// Tells of rows of faint beats, and where the longest is.
std::string faint_warning(const RunResult& result) {
  const auto& r_peaks = result.beats.found.r_peaks;
  std::int64_t rows = 0;
  FaintRow longest{};
  for (const FaintRow& row : result.beats.faint) {
    if (is_told_otherwise(result, row)) continue;
    ++rows;
    if (row.last - row.first > longest.last - longest.first) longest = row;
  }
  if (rows == 0) return "";
  const std::string others = rows == 1 ? "" : ", and " + grouped(rows - 1, "shorter row", "shorter rows");
  return grouped(longest.last - longest.first) + " beats in a row, from " +
         fixed(second_of(result, r_peaks[longest.first]), 1) + " to " +
         fixed(second_of(result, r_peaks[longest.last - 1]), 1) + " s" + others +
         ", are much smaller than usual ones: P waves, or noise, while the ventricles stand still look like that, and "
         "so do beats after a change of gain; look at the strip";
}

// The two templates with most beats, in the order of their first halves, and where the second takes over.
struct Succession {
  std::int64_t first = 0, second = 0;  // beats of either
  std::int64_t mixed = 0;              // beats of the first after the change, and of the second before it
  std::size_t change = 0;              // the first beat of the second
};

Succession succession_of(const std::vector<std::int32_t>& templates, std::int32_t a, std::int32_t b) {
  Succession best;
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    const auto first = std::ranges::count(templates, from), second = std::ranges::count(templates, to);
    std::int64_t mixed = first;  // a change before all beats: every beat of the first is after it
    for (std::size_t i = 0; i < templates.size(); ++i) {
      if (templates[i] == to && (best.second == 0 || mixed < best.mixed)) best = {first, second, mixed, i};
      mixed += (templates[i] == to) - (templates[i] == from);
    }
  }
  return best;
}

// Returns the beat at which the two most frequent shapes follow each other; nothing where they do not.
std::optional<std::size_t> succession(const std::vector<std::int32_t>& templates) {
  const Succession its = succession_of(templates, 0, 1);
  const auto all = static_cast<double>(std::ssize(templates));
  const auto fewer = std::min(its.first, its.second);
  if (fewer < kFewOfAShape || static_cast<double>(fewer) < kCommonShape * all ||
      static_cast<double>(its.mixed) > kMostMixed * static_cast<double>(its.first + its.second))
    return {};
  return its.change;
}

// Returns the beat from which on all shapes are others than before it; nothing where there is none. A beat is mixed if
// its template has more beats on the other side.
std::optional<std::size_t> change_of_all_shapes(const std::vector<std::int32_t>& templates) {
  std::vector<std::int64_t> total, before;
  std::int64_t all = 0;
  for (const std::int32_t its : templates) {
    if (its < 0) continue;
    if (its >= std::ssize(total)) total.resize(its + 1);
    ++total[its], ++all;
  }
  before.resize(total.size());
  const auto least = std::max<std::int64_t>(kFewOfAShape, std::llround(kLeastPart * static_cast<double>(all)));
  std::int64_t mixed = 0, passed = 0, fewest = all;
  std::optional<std::size_t> change;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const std::int32_t its = templates[i];
    if (its < 0) continue;
    if (passed >= least && all - passed >= least && mixed < fewest) fewest = mixed, change = i;
    mixed -= std::min(before[its], total[its] - before[its]);
    ++before[its], ++passed;
    mixed += std::min(before[its], total[its] - before[its]);
  }
  if (static_cast<double>(fewest) > kMostMixedOfAll * static_cast<double>(all)) return {};
  return change;
}

std::string succession_warning(const RunResult& result) {
  const auto& templates = result.findings->templates;
  if (result.findings->groups.size() < 2 || templates.empty()) return "";
  auto change = succession(templates);
  if (!change) change = change_of_all_shapes(templates);
  if (!change) return "";
  return "the usual shape changes at " + fixed(second_of(result, result.beats.found.r_peaks[*change]), 1) +
         " s and stays so: a lead that was moved, swapped or turned round, or came off, a gain that changed, and a "
         "block of conduction look like that, and kinds on one side of it may be wrong";
}

// Says whether more than a share of the intervals equals, to kLoopStep samples, the one so many beats before.
bool is_repeated(std::span<const double> rr, std::int64_t period, double share) {
  const std::int64_t compared = std::ssize(rr) - period;
  auto others_left = compared - static_cast<std::int64_t>(std::floor(share * static_cast<double>(compared))) - 1;
  for (std::int64_t i = period; i < std::ssize(rr); ++i)
    if (std::abs(rr[i] - rr[i - period]) > kLoopStep && others_left-- == 0) return false;
  return compared > 0;
}

// Tells of beats that come again and again at the same intervals. The first intervals tell the period.
std::string loop_warning(const RunResult& result) {
  const auto& r_peaks = result.beats.found.r_peaks;
  std::vector<double> rr;
  for (std::size_t i = 0; i + 1 < r_peaks.size(); ++i) rr.push_back(r_peaks[i + 1] - r_peaks[i]);
  if (std::ssize(rr) < kFewOfALoop) return "";
  const auto head = std::span(rr).first(std::min<std::size_t>(rr.size(), 3 * kLongestLoop));
  for (std::int64_t period = 1; period < kShortestLoop; ++period)
    if (is_repeated(head, period, kLittleRepeated)) return "";
  for (std::int64_t period = kShortestLoop; period <= std::ssize(head) / 3; ++period)
    if (is_repeated(head, period, kMostlyRepeated) && is_repeated(rr, period, kMostlyRepeated))
      return "the same " + grouped(period) + " beats, " + fixed(second_of(result, r_peaks[period] - r_peaks[0]), 1) +
             " s, come again and again at exactly the same intervals: a simulator, or a device that repeats what it "
             "has stored, plays a loop, and counts and rhythm are those of the loop";
  return "";
}

}  // namespace

std::vector<std::string> doubt_warnings(const RunResult& result) {
  if (!result.findings || !result.rhythm || !result.scored.ranking || !result.input.sample_rate_hz ||
      result.findings->kinds.size() != result.beats.found.r_peaks.size())
    return {};
  return told_together(
      result, {wide_run_warning, humming_warning, t_wave_warning, faint_warning, succession_warning, loop_warning});
}

}  // namespace beatscan
