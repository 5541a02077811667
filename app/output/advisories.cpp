#include "app/output/advisories.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/common/json_text.h"
#include "app/common/log.h"
#include "app/common/numbers.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "stages/classify/advisories.h"
#include "stages/common/one_line.h"
#include "stages/common/robust.h"

namespace beatscan {

std::vector<Advisory> fibrillation_advisories(const std::vector<Episode>& episodes, double rate_hz) {
  const Episode* longest = nullptr;
  std::int64_t count = 0;
  for (const Episode& episode : episodes) {
    if (episode.label != EpisodeLabel::ventricular_fibrillation && episode.label != EpisodeLabel::ventricular_flutter)
      continue;
    ++count;
    if (!longest || episode.end - episode.start > longest->end - longest->start) longest = &episode;
  }
  if (!longest) return {};
  return {{kFibrillationAdvisory, Severity::serious,
           "ventricular fibrillation or flutter " + (count == 1 ? "for " : grouped(count) + " times, up to ") +
               fixed((longest->end - longest->start) / rate_hz, 1) + " s (confidence " + fixed(longest->confidence, 2) +
               "), verify in the strip",
           longest->start / rate_hz}};
}

namespace {

// Returns why the drift is unknown.
std::string why_unknown(const RunResult& result) {
  if (!result.model.training_spread) return "its file lacks the statistics of its training beats";
  return "it takes " + std::to_string(kLeastDriftRows) + " normal beats, and this recording has fewer";
}

}  // namespace

Json drift_json(const RunResult& result) {
  if (!result.model.source) return nullptr;
  if (!result.model.drift) return {{"value", nullptr}, {"unknown_because", why_unknown(result)}};
  return {{"value", result.model.drift->value},
          {"statistic", "Jensen-Shannon divergence, 0 to 1"},
          {"reconstruction_error", result.model.drift->error},
          {"latents", result.model.drift->latents}};
}

namespace {

// Returns a warning if a saved model does not fit the recording, or may not. Empty if it fits, if the model was trained
// in this run, and if the scores do not depend on the model.
std::string drift_warning(const RunResult& result) {
  if (!result.model.source || !result.model.in_scores) return "";
  if (!result.model.drift) return "the drift of the saved model is unknown: " + why_unknown(result);
  if (result.model.drift->value <= result.model.most_drift) return "";
  return "the saved model was trained on other beats: drift " + significant(result.model.drift->value, 2) + ", above " +
         significant(result.model.most_drift, 2) + " (score.most_drift)";
}

using namespace advisory_limits;
using Advisories = std::vector<Advisory>;

// Items of a list in an advisory are separated by semicolons.
std::string without_semicolons(const std::string& text) {
  std::string line = in_one_line(text);
  std::ranges::replace(line, ';', ',');
  return line;
}

void add_rate(Advisories& to, std::optional<double> bpm) {
  if (bpm && (*bpm < kSlowestMedian_bpm || *bpm > kFastestMedian_bpm))
    to.push_back({"BS110", Severity::serious,
                  "median heart rate of " + fixed(*bpm, 0) + " a minute: check the sampling rate (--rate)"});
}

// Unknown units are inferred from the span of the signal, and so never contradict it.
void add_units(Advisories& to, const std::vector<LeadFacts>& leads) {
  std::vector<double> spans_mv;
  for (const LeadFacts& lead : leads)
    if (!lead.scale.assumed && lead.span > 0) spans_mv.push_back(lead.span * lead.scale.mv_per_unit);
  if (spans_mv.empty()) return;
  if (const double span = quantile(spans_mv, 0.5); span < kLeastSpan_mv || span > kMostSpan_mv)
    to.push_back({"BS111", Severity::caution,
                  "the signal spans " + (span > 1 && span < 1e9 ? grouped(std::llround(span)) : significant(span, 2)) +
                      " mV in a second or two: check its unit and gain"});
}

void add_lead(Advisories& to, const RunResult& result, std::size_t l) {
  const SignalQuality& quality = result.beats.lead_quality[l];
  const SignalNature& nature = quality.nature;
  const auto add = [&](const char* id, Severity severity, std::string message, std::optional<double> time_s = {}) {
    to.push_back({id, severity, std::move(message), time_s, l});
  };
  if (!nature.may_be_ecg())
    add("BS120", Severity::serious,
        nature.qrs_share < SignalNature::kLeastQrsShare ? "may not be an ECG: nothing is as steep as a QRS complex"
                                                        : "may not be an ECG: a square wave, or a sawtooth");
  else if (std::ranges::count(result.beats.leads, static_cast<std::int64_t>(l)) == 0)
    add("BS121", Severity::caution,
        "not used: fewer than two of its beats are in usable signal, or its unit leaves float32's range");
  if (nature.rests_at_end > 0)
    add("BS122", Severity::caution,
        "rests at an end of its range for " + percent(nature.rests_at_end) + " of the time: waves may be clipped");
  if (!quality.drop_outs.empty())
    add("BS123", Severity::info, grouped(std::ssize(quality.drop_outs), "drop-out") + " to one value, left out",
        second_of(result, static_cast<double>(quality.drop_outs.front().first)));
}

// Returns the first sample of the longest segment without good signal.
std::int64_t longest_poor(const SignalQuality& quality) {
  std::int64_t longest = 0, first = 0, run = 0;
  for (std::int64_t b = 0; b < std::ssize(quality.blocks); ++b) {
    run = quality.blocks[b] == Quality::good ? 0 : run + 1;
    if (run > longest) longest = run, first = b + 1 - run;
  }
  return first * quality.block_samples;
}

void add_signal(Advisories& to, const RunResult& result) {
  if (const auto share = analysable_share(result); share && *share < kGoodRecording)
    to.push_back({"BS130", Severity::caution,
                  "only " + significant(100 * *share, 3) + " % of the signal is good (quality.csv)",
                  second_of(result, static_cast<double>(longest_poor(*result.beats.quality)))});
}

void add_leads_together(Advisories& to, const RunResult& result) {
  const LeadAgreement& its = result.beats.agreement;
  const auto& leads = result.input.leads;
  const auto lead = [&](std::size_t l) { return "'" + in_one_line(leads[l].name) + "'"; };
  if (its.is_uncertain() && its.second < leads.size())
    to.push_back({"BS140", Severity::serious,
                  "leads " + lead(its.first) + " and " + lead(its.second) + " show different beats in " +
                      grouped(its.apart) + " of " + grouped(its.looked) + " windows, read one alone (--lead)",
                  its.first_apart_s, its.first});
  if (its.delay_s > kLongDelay_s && std::max(its.early, its.late) < leads.size())
    to.push_back({"BS141", Severity::caution,
                  "beats come " + fixed(1000 * its.delay_s, 0) + " ms later than in lead " + lead(its.early) +
                      ", read one alone (--lead)",
                  std::nullopt, its.late});
}

void add_silent_ends(Advisories& to, const RunResult& result) {
  const auto& r_peaks = result.beats.found.r_peaks;
  const double end_s = second_of(result, static_cast<double>(result.input.samples)),
               first_s = second_of(result, r_peaks.front()), last_s = second_of(result, r_peaks.back());
  const auto add = [&](const char* where, double seconds, double at_s) {
    if (seconds > kSilentEnd_s)
      to.push_back(
          {"BS160", Severity::caution,
           std::string("no beat in the ") + where + " " + fixed(seconds, 1) + " s: asystole, noise or lead-off", at_s});
  };
  add("first", first_s, 0);
  add("last", end_s - last_s, last_s);
}

void add_pacing(Advisories& to, const RunResult& result) {
  const Findings& findings = *result.classes.findings;
  std::array<std::int64_t, 3> beats{};
  for (std::size_t g = 0; g < findings.pacing.size(); ++g)
    beats[static_cast<int>(findings.pacing[g].chamber)] += findings.groups[g].beats;
  const auto first_s = [&](Chamber chamber) {
    const auto first = std::ranges::find_if(findings.templates, [&](std::int32_t its) {
      return its >= 0 && its < std::ssize(findings.pacing) && findings.pacing[its].chamber == chamber;
    });
    return first == findings.templates.end()
               ? std::nullopt
               : std::optional(second_of(result, result.beats.found.r_peaks[first - findings.templates.begin()]));
  };
  for (const Chamber chamber : {Chamber::atria, Chamber::ventricles})
    if (const auto count = beats[static_cast<int>(chamber)]; count > 0)
      to.push_back({"BS170", Severity::info,
                    "pacing spikes of the " + std::string(name_of(chamber)) + " before " + grouped(count, "beat") +
                        (chamber == Chamber::ventricles ? ": class Q, excluded from the rhythm" : ""),
                    first_s(chamber)});
}

void add_uncertain_classes(Advisories& to, const RunResult& result) {
  const ClassUncertainty its = class_uncertainty(*result.classes.findings);
  if (its.is_high())
    to.push_back({"BS210", Severity::caution,
                  "beat classes are uncertain: about " + grouped(std::llround(its.expected_wrong)) +
                      " are probably wrong, and " + grouped(its.abnormal) + " are S or V",
                  second_of(result, result.beats.found.r_peaks[its.least_certain])});
}

void add_model(Advisories& to, const RunResult& result) {
  if (auto words = drift_warning(result); !words.empty())
    to.push_back({"BS260", Severity::caution, without_semicolons(words)});
  const ModelDiagnosis& diagnosis = result.model.diagnosis;
  if (diagnosis.collapsed && !result.scored.ranking)
    to.push_back({"BS261", Severity::serious,
                  "the VAE explains no more than the mean beat (error " + significant(diagnosis.test_error, 3) +
                      ", mean beat " + significant(diagnosis.mean_beat_error, 3) + "): scores mean little"});
}

void add_input(Advisories& to, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) to.push_back({"BS101", Severity::caution, without_semicolons(warning)});
}

Advisories sorted(Advisories advisories) {
  std::ranges::stable_sort(advisories, std::ranges::greater(), &Advisory::severity);
  return advisories;
}

}  // namespace

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::caution:
      return "caution";
    case Severity::serious:
      break;
  }
  return "serious";
}

std::vector<Advisory> advisories_of(const RunResult& result) {
  if (result.advisories) return *result.advisories;
  Advisories found;
  add_input(found, result.input.warnings);
  add_rate(found, median_heart_rate(result));
  add_units(found, result.input.leads);
  for (std::size_t l = 0; l < result.beats.lead_quality.size(); ++l) add_lead(found, result, l);
  add_signal(found, result);
  add_leads_together(found, result);
  if (result.classes.findings && !result.beats.found.r_peaks.empty()) {
    add_silent_ends(found, result);
    add_pacing(found, result);
    add_uncertain_classes(found, result);
  }
  if (result.rhythm.findings)
    for (auto& advisory : fibrillation_advisories(result.rhythm.findings->episodes.list, *result.input.sample_rate_hz))
      found.push_back(std::move(advisory));
  add_model(found, result);
  return sorted(std::move(found));
}

std::vector<Advisory> advisories_of_list(const std::vector<std::string>& warnings,
                                         std::span<const std::int64_t> samples, double rate_hz) {
  Advisories found;
  add_input(found, warnings);
  std::vector<double> intervals_s;
  for (std::size_t i = 1; i < samples.size(); ++i)
    if (samples[i] > samples[i - 1]) intervals_s.push_back(static_cast<double>(samples[i] - samples[i - 1]) / rate_hz);
  if (!intervals_s.empty()) add_rate(found, 60 / quantile(intervals_s, 0.5));
  return sorted(std::move(found));
}

std::string text_of(const Advisory& advisory, const std::vector<std::string>& leads) {
  return advisory_text(advisories_json({advisory}, leads).front());
}

void log_advisories(const Log& log, const std::string& source, const std::vector<Advisory>& advisories,
                    const std::vector<std::string>& leads) {
  for (const Advisory& advisory : advisories) {
    const std::string text = source + ": " + text_of(advisory, leads);
    if (advisory.severity == Severity::info)
      log.info(text);
    else
      log.warning(text);
  }
}

std::string advisory_text(const Json& entry) {
  std::string place;
  const auto add = [&](const std::string& more) { place += (place.empty() ? " (" : ", ") + more; };
  if (entry.at("lead").is_string()) add("lead '" + in_one_line(entry.at("lead").get<std::string>()) + "'");
  if (entry.at("time_s").is_number()) add("at " + fixed(entry.at("time_s").get<double>(), 1) + " s");
  return entry.at("id").get<std::string>() + " " + entry.at("severity").get<std::string>() + ": " +
         entry.at("message").get<std::string>() + place + (place.empty() ? "" : ")");
}

Json advisories_json(const std::vector<Advisory>& advisories, const std::vector<std::string>& leads) {
  Json list = Json::array();
  for (const Advisory& advisory : advisories)
    list.push_back({{"id", advisory.id},
                    {"severity", name_of(advisory.severity)},
                    {"message", advisory.message},
                    {"time_s", or_null(advisory.time_s)},
                    {"lead", advisory.lead && *advisory.lead < leads.size() ? Json(leads[*advisory.lead]) : Json()}});
  return list;
}

std::vector<std::string> advisory_texts(const Json& summary) {
  std::vector<std::string> texts;
  if (summary.contains("advisories"))
    for (const Json& entry : summary.at("advisories")) texts.push_back(advisory_text(entry));
  else
    for (const Json& warning : summary.value("warnings", Json::array())) texts.push_back(warning.get<std::string>());
  return texts;
}

}  // namespace beatscan
