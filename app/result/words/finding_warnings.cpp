#include "app/result/words/finding_warnings.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "app/result/words/fibrillation_warnings.h"
#include "app/result/words/pause_warnings.h"
#include "app/result/words/rate_warnings.h"
#include "app/result/words/told_together.h"
#include "app/text/numbers.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

constexpr double kPlainlyUsual = 0.6, kCompeting = 0.25;  // shares of beats
constexpr double kLongDelay_s = 0.06;                     // none of 73 records with two leads has more

std::string few_beats_warning(const RunResult& result) {
  const auto trusted = std::ranges::count(result.beats.found.trusted, 1);
  if (trusted >= kFewRegular) return "";
  return "only " + grouped(trusted, "beat shows", "beats show") + " what is normal here, fewer than " +
         grouped(kFewRegular) + ": if most of them are abnormal, scores do not show it";
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
         percent(shares[1]) + " of the beats, of whatever kind, so beats of either may be the abnormal ones";
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

// Tells of steps and bursts that do not count as beats.
std::string artefacts_warning(const RunResult& result) {
  const auto& artefacts = result.beats.artefacts;
  if (artefacts.empty() || !result.input.sample_rate_hz) return "";
  return grouped(std::ssize(artefacts), "likely touch of an electrode or burst of noise",
                 "likely touches of an electrode or bursts of noise") +
         " between beats at their usual time, the first at " +
         fixed(static_cast<double>(artefacts.front()) / *result.input.sample_rate_hz, 1) + " s, " +
         (artefacts.size() == 1 ? "does not count as a beat: look there if it is one"
                                : "do not count as beats: look there if they are some");
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

// Tells of leads with a delay: rows of both are cut at the R peaks of one.
std::string delay_warning(const RunResult& result) {
  const LeadAgreement& its = result.beats.agreement;
  const auto& leads = result.input.leads;
  if (!(its.delay_s > kLongDelay_s) || std::max(its.early, its.late) >= leads.size()) return "";
  return "beats come " + fixed(1000 * its.delay_s, 0) + " ms later in lead '" + leads[its.late].name +
         "' than in lead '" + leads[its.early].name +
         "': leads of one recording show a beat at the same time, so these may have different clocks, and kinds and "
         "scores may be wrong; --lead reads one alone";
}

}  // namespace

std::vector<std::string> finding_warnings(const RunResult& result) {
  if (!result.findings) return {};  // the published method tells none of this
  std::vector<std::string> pauses, shapes, rates, fibrillation, others;
  run_together([&] { rates = rate_warnings(result); }, [&] { pauses = pause_warnings(result); },
               [&] { fibrillation = fibrillation_warnings(result); },
               [&] {
                 shapes = told_together(result, {few_beats_warning, shapes_warning});
               },
               [&] {
                 others = told_together(result, {agreement_warning, delay_warning, spikes_warning, artefacts_warning});
               });
  std::vector<std::string> warnings;
  for (auto* some : {&pauses, &shapes, &rates, &fibrillation, &others})
    std::ranges::move(*some, std::back_inserter(warnings));
  std::erase(warnings, "");
  return warnings;
}

}  // namespace beatscan
