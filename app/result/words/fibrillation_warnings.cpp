#include "app/result/words/fibrillation_warnings.h"

#include <algorithm>
#include <initializer_list>

#include "app/result/run_result.h"
#include "app/text/numbers.h"
#include "stages/common/counted.h"
#include "stages/episodes/episodes.h"

namespace beatscan {
namespace {

constexpr double kWeakFibrillation = 0.35;      // confidence
constexpr std::int64_t kFewFibrillating = 150;  // beats
constexpr double kFastBigeminy_bpm = 100;
constexpr std::int64_t kLongBigeminy = 10;  // beats

// Some episodes: their number, beats and time, the confidence over that time, and the longest of them.
struct SomeEpisodes {
  std::int64_t count = 0, beats = 0;
  double samples = 0, certain = 0;  // certain: samples times confidence
  const Episode* longest = nullptr;

  double confidence() const { return certain / samples; }
};

SomeEpisodes sum_of(const std::vector<Episode>& episodes, std::initializer_list<EpisodeLabel> labels) {
  SomeEpisodes sum;
  for (const Episode& its : episodes) {
    if (std::ranges::find(labels, its.label) == labels.end() || !(its.end > its.start)) continue;
    ++sum.count;
    sum.beats += its.beats;
    sum.samples += its.end - its.start;
    sum.certain += (its.end - its.start) * its.confidence;
    if (!sum.longest || its.end - its.start > sum.longest->end - sum.longest->start) sum.longest = &its;
  }
  return sum;
}

std::string ventricular_warning(const RunResult& result) {
  using enum EpisodeLabel;
  const auto sum = sum_of(result.rhythm->episodes.list, {ventricular_fibrillation, ventricular_flutter});
  if (sum.count == 0) return "";
  const Episode& longest = *sum.longest;
  return "ventricular fibrillation or flutter (VF, VFL) is reported " +
         (sum.count == 1 ? "once" : grouped(sum.count) + " times") + ", " + (sum.count == 1 ? "for " : "the longest ") +
         fixed(second_of(result, longest.end) - second_of(result, longest.start), 1) + " s at " +
         fixed(second_of(result, longest.start), 1) + " s with a confidence of " + fixed(longest.confidence, 2) +
         ": look at the strip, because shivering, movement and a touched electrode may look the same";
}

std::string atrial_warning(const RunResult& result) {
  const auto sum = sum_of(result.rhythm->episodes.list, {EpisodeLabel::atrial_fibrillation});
  if (sum.count == 0) return "";
  const bool weak = sum.confidence() < kWeakFibrillation;
  if (!weak && sum.beats >= kFewFibrillating) return "";
  return "atrial fibrillation (AFIB) is told for " + fixed(second_of(result, sum.samples), 0) +
         " s, by the intervals of " + grouped(sum.beats, "beat") + ", with a confidence of " +
         fixed(sum.confidence(), 2) +
         ": sinus rhythm that is irregular, by breathing, by many extrasystoles or by beats that were missed, looks "
         "like that" +
         (weak ? "" : " in so few beats") + "; look for P waves in the strip: in atrial fibrillation there are none";
}

std::string bigeminy_warning(const RunResult& result) {
  const auto& episodes = result.rhythm->episodes;
  const RhythmBeats beats = rhythm_beats(result);
  std::int64_t count = 0;
  double first = 0, fastest = 0;
  for (const Episode& its : episodes.list) {
    if (its.label != EpisodeLabel::bigeminy || its.beats < kLongBigeminy) continue;
    const auto rate = rate_of(its, beats, episodes.hidden);
    if (!rate || *rate <= kFastBigeminy_bpm) continue;
    if (count++ == 0) first = its.start;
    fastest = std::max(fastest, *rate);
  }
  if (count == 0) return "";
  return "bigeminy at up to " + fixed(fastest, 0) + " beats a minute, " + by_count(count, "", "the first ") + "at " +
         fixed(second_of(result, first), 1) +
         " s: a ventricular tachycardia in which two shapes alternate looks like that";
}

}  // namespace

std::vector<std::string> fibrillation_warnings(const RunResult& result) {
  if (!result.rhythm || !result.input.sample_rate_hz) return {};
  std::vector<std::string> warnings = {ventricular_warning(result), atrial_warning(result), bigeminy_warning(result)};
  std::erase(warnings, "");
  return warnings;
}

}  // namespace beatscan
