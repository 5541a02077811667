#include "app/result/words/rate_warnings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "app/result/result_facts.h"
#include "app/result/words/irregular_stretches.h"
#include "app/result/words/told_spans.h"
#include "app/result/words/told_together.h"
#include "app/text/numbers.h"
#include "stages/common/counted.h"
#include "stages/episodes/episode_options.h"
#include "stages/episodes/episodes.h"
#include "stages/episodes/runs.h"

namespace beatscan {
namespace {

constexpr double kSlowSinus = 50, kFastSinus = 100;           // beats a minute
constexpr double kOtherRate = 0.15;                           // difference of the median and the mean
constexpr double kIrregular = 0.15;                           // share of steps
constexpr std::int64_t kLongRun = 30;                         // beats
constexpr std::int64_t kStepBeats = 30, kSettledBeats = 120;  // beats around a step of the rate, and that it lasts
constexpr double kStep = 0.85;                                // of the interval before
constexpr double kSteadyStep = 0.05;                          // of an interval
constexpr double kMostlyFibrillation = 0.5;                   // share of the time
constexpr std::int64_t kFewestInIrregularRuns = 20;           // beats
constexpr double kLongNoise_s = 6, kFastInNoise = 130;        // beats a minute
constexpr std::int64_t kFewestInNoise = 12;                   // beats
constexpr double kFewShapes = 0.7;                            // share of the beats in noise
constexpr std::int64_t kFewSteps = 8, kFewIrregular = 3;      // fewer tell nothing

std::string rate_warning(const RunResult& result) {
  const auto rate = heart_rate(result);
  const auto is_usual = [](double bpm) { return bpm >= kSlowSinus && bpm <= kFastSinus; };
  if (!rate || is_usual(rate->median)) return "";
  if (is_usual(rate->mean) && std::abs(rate->median / rate->mean - 1) > kOtherRate &&
      rhythm_steps(result.beats.found, result.findings->kinds, result.findings->bent).share() > kIrregular)
    return "the heart rate is " + fixed(rate->median, 0) + " a minute by the median interval, and " +
           fixed(rate->mean, 0) + " by the mean: short and long intervals take turns, as in bigeminy";
  const bool fast = rate->median > kFastSinus;
  const double limit = fast ? kFastSinus : kSlowSinus;
  return "the heart rate is " + fixed(rate->median, std::round(rate->median) == limit ? 2 : 0) +
         " a minute by the median, " + (fast ? "above " : "below ") + fixed(limit, 0) +
         ", which is not usual for sinus rhythm at rest. One of these may be so: the most common rhythm here, which "
         "counts as the usual one, is itself abnormal; " +
         (fast ? "T waves were counted as beats" : "every other beat is too small to be found") +
         "; the sampling rate is wrong";
}

std::string irregular_warning(const RunResult& result) {
  if (result.rhythm && result.rhythm->af.afib_s > kMostlyFibrillation * result.rhythm->af.told_s) return "";
  const RhythmSteps steps = rhythm_steps(result.beats.found, result.findings->kinds, result.findings->bent);
  if (steps.pairs < kFewSteps || steps.irregular < kFewIrregular || steps.share() <= kIrregular)
    return irregular_stretches_warning(result);
  return "the rhythm is irregular: " + percent(steps.share()) +
         " of the RR intervals between beats in good signal that are not V differ from the one before by more than " +
         percent(kIrregularStep);
}

std::string early_run_warning(const RunResult& result) {
  std::int64_t run = 0, longest = 0;
  for (const Kind kind : result.findings->kinds) {
    run = kind == Kind::supraventricular ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  if (longest < kLongRun) return "";
  return grouped(longest) +
         " beats in a row are called early (S): that may be a tachycardia, or a rate that changed and stayed";
}

// Returns what quantile() returns of a half, without memory of its own: each early beat asks for it.
double median_of_step(std::span<const double, kStepBeats> rr) {
  static_assert(kStepBeats % 2 == 0);
  std::array<double, kStepBeats> values;
  std::ranges::copy(rr, values.begin());
  const auto upper = values.begin() + kStepBeats / 2;
  std::ranges::nth_element(values, upper);
  const double lower = *std::max_element(values.begin(), upper);
  return lower + 0.5 * (*upper - lower);
}

// Tells of a rate that changes at once and stays: a tachycardia that goes on looks like that, too.
std::string settled_rate_warning(const RunResult& result) {
  const auto& found = result.beats.found;
  if (!result.input.sample_rate_hz || result.findings->kinds.size() != found.r_peaks.size()) return "";
  const auto fibrillation = told_spans(result, {EpisodeLabel::atrial_fibrillation});
  std::vector<double> rr;
  for (std::size_t i = 0; i < found.broken.size(); ++i) rr.push_back(found.r_peaks[i + 1] - found.r_peaks[i]);
  const auto median = [&](std::int64_t first) {
    return median_of_step(std::span(rr).subspan(first).first<kStepBeats>());
  };
  for (std::int64_t i = kStepBeats; i + kStepBeats <= std::ssize(rr); ++i) {
    const bool drops = rr[i] < kStep * rr[i - 1] && rr[i + 1] < kStep * rr[i - 1] && rr[i + 2] < kStep * rr[i - 1];
    if (!drops || found.broken[i] || result.findings->kinds[i + 2] != Kind::normal) continue;
    if (is_within(fibrillation, found.r_peaks[i])) continue;  // no step stands out there
    const double before = median(i - kStepBeats), behind = median(i);
    if (behind > kStep * before) continue;
    bool stays = true;  // for kSettledBeats, or to the end of the recording
    const auto last = std::min(i + kSettledBeats, std::ssize(rr)) - kStepBeats;
    for (auto at = i; stays && at < last;) {
      at = std::min(at + kStepBeats, last);
      stays = std::abs(median(at) - behind) <= (1 - kStep) * behind;
    }
    if (!stays) continue;
    const double minute = 60 * *result.input.sample_rate_hz;
    return "the heart rate changes at once from " + fixed(minute / before, 0) + " to " + fixed(minute / behind, 0) +
           " a minute at " + fixed(found.r_peaks[i] / *result.input.sample_rate_hz, 1) +
           " s and stays: the beats after it count as usual ones, but a tachycardia that goes on looks the same";
  }
  return "";
}

// Tells of the runs of V beats that is_doubted(episode) is true of; empty where there are none.
//   one, several  the verb for one run and for several
template <class IsDoubted>
std::string runs_warning(const RunResult& result, const IsDoubted& is_doubted, const char* one, const char* several,
                         const char* why) {
  std::int64_t count = 0;
  double first = 0;
  for (const Episode& its : result.rhythm->episodes.list)
    if (is_doubted(its) && count++ == 0) first = its.start;
  if (count == 0) return "";
  return by_count(count, "a run", grouped(count) + " runs") + " of V beats (VT, IVR), " +
         by_count(count, "", "the first ") + "at " + fixed(first / *result.input.sample_rate_hz, 1) + " s, " +
         by_count(count, one, several) + why;
}

// Tells of runs of V beats that atrial fibrillation may have made.
std::string aberrant_warning(const RunResult& result) {
  if (!result.rhythm || !result.input.sample_rate_hz) return "";
  const auto af = spans_with(result.rhythm->episodes.list, EpisodeLabel::atrial_fibrillation);
  return runs_warning(
      result, [&](const Episode& its) { return may_be_aberrant(its, result.beats.found.r_peaks, af, {}); }, "comes",
      "come",
      " irregularly within atrial fibrillation: beats that are conducted with a delay (aberrant conduction) look "
      "like that");
}

// Tells of runs of V beats that movement may have made.
std::string movement_warning(const RunResult& result) {
  if (!result.rhythm || !result.findings || !result.input.sample_rate_hz) return "";
  return runs_warning(
      result,
      [&](const Episode& its) { return may_be_movement(its, result.beats.found.r_peaks, result.findings->bent); }, "is",
      "are",
      " where noise bends the usual beats, too: movement, as in walking or brushing teeth, looks like that; look at "
      "the strip");
}

// Tells of early beats that come as in atrial fibrillation, which is told from more beats on only.
std::string irregular_runs_warning(const RunResult& result) {
  if (!result.rhythm || !result.input.sample_rate_hz) return "";
  std::int64_t beats = 0, irregular = 0;
  double first = 0;
  for (const Episode& its : result.rhythm->episodes.list) {
    if (its.label != EpisodeLabel::supraventricular_tachycardia || its.beats < BeatRunOptions{}.regular_beats) continue;
    beats += its.beats;
    if (has_regular_intervals(its, result.beats.found.r_peaks, {})) continue;
    if (irregular == 0) first = its.start;
    irregular += its.beats;
  }
  if (irregular < kFewestInIrregularRuns || 2 * irregular < beats) return "";
  return grouped(irregular, "beat") + " in runs of early beats (SVT), the first at " +
         fixed(first / *result.input.sample_rate_hz, 1) +
         " s, come irregularly: atrial fibrillation of less than about 80 beats looks like that, and is not told as "
         "AFIB";
}

// Tells of a fast rhythm of wide beats that leave the signal no rest, so that it counts as noisy.
std::string restless_warning(const RunResult& result) {
  const auto& found = result.beats.found;
  const auto rate = median_heart_rate(result);
  if (!rate || *rate <= kFastSinus) return "";
  const auto noisy = std::ranges::count(found.quality, Quality::noisy), all = std::ssize(found.quality);
  std::int64_t steady = 0;
  for (std::size_t i = 1; i < found.broken.size(); ++i) {
    const double first = found.r_peaks[i] - found.r_peaks[i - 1], second = found.r_peaks[i + 1] - found.r_peaks[i];
    steady += std::abs(second - first) < kSteadyStep * first;
  }
  if (4 * noisy < all || 5 * steady < 4 * all) return "";
  return percent(static_cast<double>(noisy) / static_cast<double>(all)) +
         " of the beats are in signal that counts as "
         "noisy, but they come regularly, " +
         fixed(*rate, 0) +
         " a minute: a tachycardia of wide beats (VT) leaves the signal no rest, and its shape counts as the usual one "
         "if it lasts";
}

// Returns the share of beats that are of the two most frequent templates.
double share_of_two_shapes(std::span<const std::int32_t> templates) {
  std::map<std::int32_t, std::int64_t> counts;
  for (const std::int32_t its : templates)
    if (its >= 0) ++counts[its];
  std::int64_t most = 0, second = 0;
  for (const auto& [shape, count] : counts) {
    second = std::max(second, std::min(most, count));
    most = std::max(most, count);
  }
  return static_cast<double>(most + second) / static_cast<double>(templates.size());
}

// Tells of noise in which beats of one shape or two come fast: the rhythm leaves the signal no rest.
std::string fast_noise_warning(const RunResult& result) {
  if (!result.rhythm || !result.input.sample_rate_hz) return "";
  const auto& r_peaks = result.beats.found.r_peaks;
  const double rate_hz = *result.input.sample_rate_hz;
  for (const Episode& its : result.rhythm->episodes.list) {
    if (its.label != EpisodeLabel::noise || its.end - its.start < kLongNoise_s * rate_hz) continue;
    const auto first = std::ranges::lower_bound(r_peaks, its.start) - r_peaks.begin(),
               last = std::ranges::upper_bound(r_peaks, its.end) - r_peaks.begin();
    if (last - first < kFewestInNoise) continue;
    const double bpm = 60 * rate_hz * static_cast<double>(last - first - 1) / (r_peaks[last - 1] - r_peaks[first]);
    const auto templates = std::span(result.findings->templates).subspan(first, last - first);
    if (bpm < kFastInNoise || share_of_two_shapes(templates) < kFewShapes) continue;
    return "the noise (NOISE) of " + fixed((its.end - its.start) / rate_hz, 0) + " s at " +
           fixed(its.start / rate_hz, 1) + " s holds " + grouped(last - first) + " beats, most of one or two shapes, " +
           fixed(bpm, 0) +
           " a minute: a tachycardia (VT, or atrial fibrillation with fast conduction) may leave the signal no rest; "
           "look at the strip";
  }
  return "";
}

}  // namespace

RhythmSteps rhythm_steps(const BeatList& beats, std::span<const Kind> kinds, std::span<const std::uint8_t> bent) {
  RhythmSteps steps;
  const auto counts = [&](std::size_t beat) {
    return beats.quality[beat] == Quality::good && (kinds.empty() || kinds[beat] != Kind::ventricular) &&
           (bent.empty() || !bent[beat]);
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

std::vector<std::string> rate_warnings(const RunResult& result) {
  return told_together(
      result, {rate_warning, irregular_warning, early_run_warning, settled_rate_warning, restless_warning,
               fast_noise_warning, aberrant_warning, movement_warning, irregular_runs_warning, variability_warning});
}

}  // namespace beatscan
