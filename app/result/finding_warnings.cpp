#include "app/result/finding_warnings.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/result/summary_text.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr double kSlowSinus = 50, kFastSinus = 100;       // beats a minute
constexpr double kPlainlyUsual = 0.6, kCompeting = 0.25;  // shares of beats
constexpr double kIrregular = 0.15;                       // share of steps
constexpr double kMostlyFibrillation = 0.5;               // share of the time
constexpr std::int64_t kFewSteps = 8, kFewIrregular = 3;  // fewer tell nothing

std::string few_beats_warning(const RunResult& result) {
  const auto trusted = std::ranges::count(result.beats.found.trusted, 1);
  if (trusted >= kFewRegular) return "";
  return "only " + grouped(trusted) + (trusted == 1 ? " beat shows" : " beats show") +
         " what is normal here, fewer than " + grouped(kFewRegular) +
         ": if most of them are abnormal, scores do not tell";
}

std::string rate_warning(const RunResult& result) {
  const auto rate = median_heart_rate(result);
  if (!rate || (*rate >= kSlowSinus && *rate <= kFastSinus)) return "";
  return "the heart beats " + fixed(*rate, 0) + " times a minute by the median, " +
         (*rate > kFastSinus ? "faster" : "slower") +
         " than sinus rhythm at rest: what is usual here may itself be abnormal";
}

std::string shapes_warning(const RunResult& result) {
  std::map<std::int64_t, std::int64_t> beats_of;
  std::int64_t all = 0;
  for (const BeatGroup& group : result.findings->groups) {
    beats_of[group.shape] += group.beats;
    all += group.beats;
  }
  if (beats_of.size() < 2) return "";
  std::vector<double> shares;
  for (const auto& [shape, beats] : beats_of) shares.push_back(static_cast<double>(beats) / static_cast<double>(all));
  std::ranges::sort(shares, std::greater<>());
  if (shares[0] >= kPlainlyUsual && shares[1] < kCompeting) return "";
  return "no shape is plainly the usual one: the two most frequent have " + percent(shares[0]) + " and " +
         percent(shares[1]) + " of the beats (templates.csv), so beats of either may be the abnormal ones";
}

std::string irregular_warning(const RunResult& result) {
  if (result.rhythm && result.rhythm->af.afib_s > kMostlyFibrillation * result.rhythm->af.told_s) return "";
  const RhythmSteps steps = rhythm_steps(result.beats.found, result.findings->kinds);
  if (steps.pairs < kFewSteps || steps.irregular < kFewIrregular || steps.share() <= kIrregular) return "";
  return "the rhythm is irregular: " + percent(steps.share()) +
         " of the RR intervals differ from the one before by more than " + percent(kIrregularStep);
}

}  // namespace

RhythmSteps rhythm_steps(const BeatList& beats, std::span<const Kind> kinds) {
  RhythmSteps steps;
  const auto counts = [&](std::size_t beat) {
    return beats.quality[beat] == Quality::good && (kinds.empty() || kinds[beat] != Kind::ventricular);
  };
  const auto is_known = [&](std::size_t i) { return !beats.broken[i] && counts(i) && counts(i + 1); };
  for (std::size_t i = 1; i < beats.broken.size(); ++i) {
    if (!is_known(i - 1) || !is_known(i)) continue;
    const double first = beats.r_peaks[i] - beats.r_peaks[i - 1], second = beats.r_peaks[i + 1] - beats.r_peaks[i];
    ++steps.pairs;
    steps.irregular += std::abs(second - first) > kIrregularStep * first;
  }
  return steps;
}

std::vector<std::string> finding_warnings(const RunResult& result) {
  std::vector<std::string> warnings;
  if (!result.findings) return warnings;  // the published method tells none of this
  for (auto warning :
       {few_beats_warning(result), rate_warning(result), shapes_warning(result), irregular_warning(result)})
    if (!warning.empty()) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace beatscan
