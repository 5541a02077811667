#include "app/result/words/finding_warnings.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/result/result_facts.h"
#include "app/text/numbers.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kSlowSinus = 50, kFastSinus = 100;           // beats a minute
constexpr double kPlainlyUsual = 0.6, kCompeting = 0.25;      // shares of beats
constexpr double kIrregular = 0.15;                           // share of steps
constexpr std::int64_t kLongRun = 60;                         // beats
constexpr std::int64_t kStepBeats = 30, kSettledBeats = 120;  // beats around a step of the rate, and that it lasts
constexpr double kStep = 0.85;                                // of the interval before
constexpr double kSteadyStep = 0.05;                          // of an interval
constexpr double kLongSilence_s = 4;                          // as long as asystole
constexpr double kMostlyFibrillation = 0.5;                   // share of the time
constexpr std::int64_t kFewSteps = 8, kFewIrregular = 3;      // fewer tell nothing

std::string few_beats_warning(const RunResult& result) {
  const auto trusted = std::ranges::count(result.beats.found.trusted, 1);
  if (trusted >= kFewRegular) return "";
  return "only " + grouped(trusted, "beat shows", "beats show") + " what is normal here, fewer than " +
         grouped(kFewRegular) + ": if most of them are abnormal, scores do not show it";
}

std::string rate_warning(const RunResult& result) {
  const auto rate = median_heart_rate(result);
  if (!rate || (*rate >= kSlowSinus && *rate <= kFastSinus)) return "";
  return "the heart beats " + fixed(*rate, 0) + " times a minute by the median, " +
         (*rate > kFastSinus ? "faster" : "slower") +
         " than sinus rhythm at rest: what is usual here may itself be abnormal, " +
         (*rate > kFastSinus ? "T waves count as beats" : "every other beat is too small to be found") +
         ", or the sampling rate is wrong";
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

bool is_in_fibrillation(const RunResult& result, double sample) {
  return result.rhythm && std::ranges::any_of(result.rhythm->episodes.list, [=](const Episode& its) {
           return its.label == EpisodeLabel::atrial_fibrillation && its.start <= sample && sample < its.end;
         });
}

// Tells of a rate that changes at once and stays: a tachycardia that goes on looks like that, too.
std::string settled_rate_warning(const RunResult& result) {
  const auto& found = result.beats.found;
  if (!result.input.sample_rate_hz || result.findings->kinds.size() != found.r_peaks.size()) return "";
  std::vector<double> rr;
  for (std::size_t i = 0; i < found.broken.size(); ++i) rr.push_back(found.r_peaks[i + 1] - found.r_peaks[i]);
  const auto median = [&](std::int64_t first) {
    std::vector<double> some(rr.begin() + first, rr.begin() + first + kStepBeats);
    return quantile(some, 0.5);
  };
  for (std::int64_t i = kStepBeats; i + kSettledBeats <= std::ssize(rr); ++i) {
    const bool drops = rr[i] < kStep * rr[i - 1] && rr[i + 1] < kStep * rr[i - 1] && rr[i + 2] < kStep * rr[i - 1];
    if (!drops || found.broken[i] || result.findings->kinds[i + 2] != Kind::normal) continue;
    if (is_in_fibrillation(result, found.r_peaks[i])) continue;  // no step stands out there
    const double before = median(i - kStepBeats), behind = median(i), later = median(i + kSettledBeats - kStepBeats);
    if (behind > kStep * before || std::abs(later - behind) > (1 - kStep) * behind) continue;
    const double minute = 60 * *result.input.sample_rate_hz;
    return "the heart rate changes at once from " + fixed(minute / before, 0) + " to " + fixed(minute / behind, 0) +
           " a minute at " + fixed(found.r_peaks[i] / *result.input.sample_rate_hz, 1) +
           " s and stays: the beats after it count as usual ones, but a tachycardia that goes on looks the same";
  }
  return "";
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

// Some pauses, and the longest of them by its interval.
struct SomePauses {
  std::int64_t count = 0, longest = 0;
  std::string words(const RunResult& result) const {
    const auto& r_peaks = result.beats.found.r_peaks;
    const double rate_hz = *result.input.sample_rate_hz;
    return grouped(count, "pause") + ", the longest " + fixed((r_peaks[longest + 1] - r_peaks[longest]) / rate_hz, 1) +
           " s at " + fixed(r_peaks[longest] / rate_hz, 1) + " s, ";
  }
};

// Collects the pauses whose certainty is one of those from `least` to below `behind`.
SomePauses pauses_of_certainty(const RunResult& result, float least, float behind) {
  const auto& r_peaks = result.beats.found.r_peaks;
  const auto length = [&](std::int64_t i) { return r_peaks[i + 1] - r_peaks[i]; };
  SomePauses pauses;
  for (const Episode& episode : result.rhythm->episodes.list)
    if (episode.label == EpisodeLabel::pause) {
      const auto i = std::ranges::lower_bound(r_peaks, episode.start) - r_peaks.begin();
      const float certainty = result.beats.evidence->certainty_of(i);
      if (certainty < least || certainty >= behind) continue;
      if (pauses.count++ == 0 || length(i) > length(pauses.longest)) pauses.longest = i;
    }
  return pauses;
}

bool has_pauses(const RunResult& result) {
  return result.rhythm && result.beats.evidence && result.input.sample_rate_hz;
}

// Tells of pauses that look like an electrode that came off.
std::string off_pauses_warning(const RunResult& result) {
  if (!has_pauses(result)) return "";
  const auto pauses = pauses_of_certainty(result, 0, kCertainPause);
  if (pauses.count == 0) return "";
  return pauses.words(result) + "may be an electrode that came off: hum or drift differ from those beside";
}

// Tells of pauses that are half certain.
std::string doubtful_pauses_warning(const RunResult& result) {
  if (!has_pauses(result)) return "";
  const auto pauses = pauses_of_certainty(result, kCertainPause, 1);
  if (pauses.count == 0) return "";
  return pauses.words(result) + (pauses.count == 1 ? "is" : "are") +
         " half certain: the line differs from that between beats, or noise hides what another lead shows, so an "
         "electrode may have come off: look at the strip";
}

// Tells of asystole that the signal shows. It is too grave to be believed without a look at the strip.
std::string asystole_warning(const RunResult& result) {
  if (!has_pauses(result)) return "";
  const Episode* longest = nullptr;
  std::int64_t count = 0;
  const auto length = [](const Episode& its) { return its.end - its.start; };
  for (const Episode& episode : result.rhythm->episodes.list)
    if (episode.label == EpisodeLabel::asystole && episode.quality == Quality::good) {
      ++count;
      if (!longest || length(episode) > length(*longest)) longest = &episode;
    }
  if (count == 0) return "";
  const double rate_hz = *result.input.sample_rate_hz;
  return "no heartbeat (ASYS) is reported " + (count == 1 ? "once" : grouped(count) + " times") + ", for " +
         fixed(length(*longest) / rate_hz, 1) + " s at " + fixed(longest->start / rate_hz, 1) +
         " s: look at the strip, because an electrode that came off and rests at the baseline looks the same";
}

// Tells of pacing spikes with no QRS complex after them.
std::string spikes_warning(const RunResult& result) {
  const auto& spikes = result.beats.spikes;
  if (spikes.empty() || !result.input.sample_rate_hz) return "";
  const auto& r_peaks = result.beats.found.r_peaks;
  const bool are_counted = std::ranges::any_of(
      r_peaks, [&](double r_peak) { return std::abs(r_peak - static_cast<double>(spikes.front())) < 1; });
  return grouped(std::ssize(spikes), "narrow spike") + " without a QRS complex, the first at " +
         fixed(static_cast<double>(spikes.front()) / *result.input.sample_rate_hz, 1) + " s, " +
         (are_counted ? "are most of what was found, and count as beats"
                      : std::string(spikes.size() == 1 ? "does not count as a beat" : "do not count as beats")) +
         ": a pacemaker without capture looks like that, and the heart may stand still there";
}

// Tells of leads that show different beats.
std::string agreement_warning(const RunResult& result) {
  const LeadAgreement& its = result.beats.agreement;
  const auto& leads = result.input.leads;
  if (!its.is_doubtful() || its.second >= leads.size()) return "";
  return "leads '" + leads[its.first].name + "' and '" + leads[its.second].name + "' show different beats in " +
         grouped(its.apart) + " of " + grouped(its.looked) + " windows, the first at " + fixed(its.first_apart_s, 0) +
         " s: one of them may be no ECG, or the ECG of another person, and then beats are false or missed; --lead "
         "reads "
         "one alone";
}

// Says that no beat was found at an end of the recording; "" if that is brief.
//   certain  how certain it is that the heart stands still; 0 where the signal does not show it
std::string silent_end_words(const std::string& where, double seconds, float certain) {
  if (seconds <= kLongSilence_s) return "";
  const std::string words = "no beat was found in the " + where + " " + fixed(seconds, 1) + " s: ";
  if (certain == 0) return words + "asystole, noise, or an electrode that was not on; look at the strip";
  if (certain < kCertainPause)
    return words +
           "the electrode may be off, because hum or drift differ from those between beats; asystole (ASYS) is "
           "reported there, but is not certain";
  return words + "asystole (ASYS), or an electrode that was not on; look at the strip";
}

std::vector<std::string> silent_ends_warnings(const RunResult& result) {
  const auto& peaks = result.beats.found.r_peaks;
  if (peaks.empty() || !result.input.sample_rate_hz) return {};
  const double rate_hz = *result.input.sample_rate_hz;
  const double first_s = peaks.front() / rate_hz,
               last_s = (static_cast<double>(result.input.samples) - peaks.back()) / rate_hz;
  const auto& evidence = result.beats.evidence;
  return {silent_end_words("first", first_s, evidence ? evidence->certain_start : 0),
          silent_end_words("last", last_s, evidence ? evidence->certain_end : 0)};
}

// Tells of long intervals that are no pause, because the signal in them is not that of one.
std::string unexplained_warning(const RunResult& result) {
  if (!result.rhythm || !result.beats.evidence) return "";
  const auto& found = result.beats.found;
  const double rate_hz = *result.input.sample_rate_hz;
  std::int64_t count = 0, longest = 0;
  double longest_s = 0;
  for (std::int64_t i = 0; i < std::ssize(found.broken); ++i) {
    const double seconds = (found.r_peaks[i + 1] - found.r_peaks[i]) / rate_hz;
    if (seconds <= kLongSilence_s || found.broken[i] || result.beats.evidence->silent[i] ||
        result.rhythm->episodes.hidden[i])
      continue;
    ++count;
    if (seconds > longest_s) longest_s = seconds, longest = i;
  }
  if (count == 0) return "";
  return grouped(count, "interval") + " of more than " + fixed(kLongSilence_s, 0) + " s without a beat, the longest " +
         fixed(longest_s, 1) + " s at " + fixed(found.r_peaks[longest] / rate_hz, 1) +
         " s, may be noise, an electrode that came off, or a pause: look at the strip";
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
  for (auto& warning : silent_ends_warnings(result))
    if (!warning.empty()) warnings.push_back(std::move(warning));
  for (auto warning :
       {few_beats_warning(result), rate_warning(result), shapes_warning(result), irregular_warning(result),
        early_run_warning(result), settled_rate_warning(result), restless_warning(result), agreement_warning(result),
        spikes_warning(result), asystole_warning(result), off_pauses_warning(result), doubtful_pauses_warning(result),
        unexplained_warning(result)})
    if (!warning.empty()) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace beatscan
