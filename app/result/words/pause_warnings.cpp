#include "app/result/words/pause_warnings.h"

#include <algorithm>

#include "app/result/run_result.h"
#include "app/text/numbers.h"
#include "stages/beats/resting_leads.h"
#include "stages/common/counted.h"
#include "stages/common/duration.h"
#include "stages/common/one_line.h"
#include "stages/episodes/episode_options.h"
#include "stages/episodes/intervals.h"

namespace beatscan {
namespace {

constexpr double kLongSilence_s = 4;                        // as long as asystole
constexpr double kLongInterval_s = PauseOptions{}.pause_s;  // in good signal
constexpr double kLongBesideFibrillation_s = 6;  // asystole, and 2 s more: the ends of fibrillation are known to 2 s

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
  return asystole_words(
      result, [](const Episode& its) { return its.quality == Quality::good; },
      "look at the strip, because an electrode that came off and rests at the baseline looks the same");
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
    const bool is_good = found.quality[i] == Quality::good && found.quality[i + 1] == Quality::good;
    if (seconds <= (is_good ? kLongInterval_s : kLongSilence_s) || found.broken[i] ||
        result.beats.evidence->silent[i] || result.rhythm->episodes.hidden[i])
      continue;
    ++count;
    if (seconds > longest_s) longest_s = seconds, longest = i;
  }
  if (count == 0) return "";
  return grouped(count, "long interval") + " without a beat, the longest " + fixed(longest_s, 1) + " s at " +
         fixed(found.r_peaks[longest] / rate_hz, 1) + " s, " + by_count(count, "is", "are") +
         " no PAUSE, because the signal there is not still: a small beat that was "
         "missed, pacing spikes or P waves alone in a pause, noise and an electrode that came off look like that; look "
         "at the strip";
}

// Tells of stretches without a beat in an interval that holds VF or VFL. PAUSE and ASYS are not looked for in such an
// interval.
std::string beside_fibrillation_warning(const RunResult& result) {
  if (!has_pauses(result)) return "";
  using enum EpisodeLabel;
  std::vector<TimeSpan> told;
  for (const Episode& its : result.rhythm->episodes.list)
    if (its.label == ventricular_fibrillation || its.label == ventricular_flutter || its.label == noise ||
        its.label == gap)
      told.push_back({its.start, its.end});
  const auto& r_peaks = result.beats.found.r_peaks;
  const double rate_hz = *result.input.sample_rate_hz, least = kLongBesideFibrillation_s * rate_hz;
  std::int64_t count = 0;
  TimeSpan longest;
  for (std::size_t i = 0; i < result.rhythm->episodes.hidden.size(); ++i) {
    if (!result.rhythm->episodes.hidden[i]) continue;
    for (const TimeSpan& part : parts_outside({r_peaks[i], r_peaks[i + 1]}, told)) {
      if (part.end - part.start <= least) continue;
      ++count;
      if (part.end - part.start > longest.end - longest.start) longest = part;
    }
  }
  if (count == 0) return "";
  return "beside ventricular fibrillation or flutter there " + by_count(count, "is", "are") + " " +
         grouped(count, "stretch", "stretches") + " without a beat, " + (count == 1 ? "of " : "the longest of ") +
         fixed((longest.end - longest.start) / rate_hz, 1) + " s at " + fixed(longest.start / rate_hz, 1) +
         " s: asystole, fine fibrillation, missed beats and an electrode that came off look like that, and PAUSE and "
         "ASYS are not told there; look at the strip";
}

// Tells where one lead shows no beats and the others are noise.
std::string resting_warning(const RunResult& result) {
  const auto& rests = result.beats.resting;
  if (rests.empty()) return "";
  const auto& longest = *std::ranges::max_element(rests, {}, [](const RestingLead& its) { return its.samples.size(); });
  const double rate_hz = *result.input.sample_rate_hz;
  const auto at = [=](std::int64_t sample) { return fixed(static_cast<double>(sample) / rate_hz, 1); };
  std::int64_t beats = 0;
  for (const RestingLead& its : rests) beats += its.beats;
  const bool one = rests.size() == 1;
  const std::string lead = "lead '" + in_one_line(result.input.leads[longest.lead].name) + "'",
                    when = at(longest.samples.first) + " to " + at(longest.samples.last) + " s";
  return grouped(beats, "beat") + by_count(beats, " was", " were") + " left out " +
         (one ? "from " + when + ", where " + lead + " shows none and the others are noise"
              : "in " + grouped(std::ssize(rests)) +
                    " stretches where one lead shows none and the others are noise, the longest from " + when + " in " +
                    lead) +
         ": the heart may stand still, the electrode of that lead may be off, or a tachycardia may not show in it; "
         "look "
         "at the strip";
}

}  // namespace

std::string asystole_words(const RunResult& result, bool (*counts)(const Episode&), const std::string& why) {
  const Episode* longest = nullptr;
  std::int64_t count = 0;
  const auto length = [](const Episode& its) { return its.end - its.start; };
  for (const Episode& episode : result.rhythm->episodes.list)
    if (episode.label == EpisodeLabel::asystole && counts(episode)) {
      ++count;
      if (!longest || length(episode) > length(*longest)) longest = &episode;
    }
  if (count == 0) return "";
  const double rate_hz = *result.input.sample_rate_hz;
  return "no heartbeat (ASYS) is reported " + (count == 1 ? "once" : grouped(count) + " times") + ", for " +
         fixed(length(*longest) / rate_hz, 1) + " s at " + fixed(longest->start / rate_hz, 1) + " s: " + why;
}

std::vector<std::string> pause_warnings(const RunResult& result) {
  std::vector<std::string> warnings = silent_ends_warnings(result);
  for (auto warning : {asystole_warning(result), off_pauses_warning(result), doubtful_pauses_warning(result),
                       unexplained_warning(result), resting_warning(result), beside_fibrillation_warning(result)})
    warnings.push_back(std::move(warning));
  std::erase(warnings, "");
  return warnings;
}

}  // namespace beatscan
