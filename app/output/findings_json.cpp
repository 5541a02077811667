#include "app/output/findings_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/common/json_text.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "stages/common/letters.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/intervals.h"
#include "stages/waves/wave_summary.h"

namespace beatscan {

namespace {

constexpr EpisodeLabel kTellingLabels[] = {EpisodeLabel::ventricular_tachycardia,
                                           EpisodeLabel::ventricular_fibrillation, EpisodeLabel::ventricular_flutter,
                                           EpisodeLabel::asystole};

void add_classes(std::vector<FindingColumn>& columns, std::string_view letters) {
  for (const char letter : letters) {
    const std::string beat_class(1, letter), name = "beats_" + in_small_letters(beat_class);
    columns.push_back({name, name, beat_class, "beats of class " + beat_class, FindingUnit::count,
                       "/kinds/" + beat_class, letter == 'V' || letter == 'S'});
  }
}

void add_labels(std::vector<FindingColumn>& columns) {
  for (int i = 0; i <= static_cast<int>(EpisodeLabel::gap); ++i) {
    const auto label = static_cast<EpisodeLabel>(i);
    const std::string name(name_of(label)), low = in_small_letters(name);
    const bool telling = std::ranges::count(kTellingLabels, label) > 0;
    columns.push_back({low + "_episodes", low + "_episodes", name, "episodes " + name, FindingUnit::count,
                       "/episodes/" + name + "/count", telling});
    columns.push_back({low + "_s", low + "_s", name + ", s", "seconds of episodes " + name, FindingUnit::seconds,
                       "/episodes/" + name + "/seconds"});
  }
}

// Adds the measures of heart rate variability that earlier versions did not have.
void add_later_measures(std::vector<FindingColumn>& columns) {
  const auto add = [&](const char* name, const char* what, FindingUnit unit, const char* place) {
    columns.push_back({name, name, name, what, unit, place, false, true});
  };
  add("sdann_ms", "SDANN of 5 minutes", FindingUnit::milliseconds, "/hrv/sdann_ms");
  add("vlf_ms2", "power from 0.003 to 0.04 Hz", FindingUnit::ms2, "/hrv/vlf_ms2");
  add("sd1_ms", "SD1 of the Poincaré plot", FindingUnit::milliseconds, "/hrv/sd1_ms");
  add("sd2_ms", "SD2 of the Poincaré plot", FindingUnit::milliseconds, "/hrv/sd2_ms");
  add("dfa_alpha1", "fluctuation exponent of 4 to 16 beats", FindingUnit::ratio, "/hrv/dfa_alpha1");
  add("dfa_alpha2", "fluctuation exponent of 16 to 64 beats", FindingUnit::ratio, "/hrv/dfa_alpha2");
  add("dc_ms", "deceleration capacity", FindingUnit::milliseconds, "/hrv/dc_ms");
  add("hrt_vpcs", "V that heart rate turbulence is worked out from", FindingUnit::count, "/hrv/hrt_vpcs");
  add("hrt_onset_percent", "onset of heart rate turbulence", FindingUnit::percent, "/hrv/hrt_onset_percent");
  add("hrt_slope_ms_per_rr", "slope of heart rate turbulence", FindingUnit::milliseconds, "/hrv/hrt_slope_ms_per_rr");
}

// Adds how often beats of a class occur, with their runs.
void add_burden(std::vector<FindingColumn>& columns, const std::string& beat_class) {
  const auto add = [&](const std::string& key, const std::string& what, FindingUnit unit, const std::string& place) {
    const std::string name = in_small_letters(beat_class) + "_" + key;
    columns.push_back({name, name, name, what, unit, "/burden/" + beat_class + place, false, true});
  };
  add("percent", beat_class + " of all beats", FindingUnit::percent, "/percent");
  add("per_hour", beat_class + " an hour", FindingUnit::per_hour, "/per_hour");
  add("couplets", "couplets of " + beat_class, FindingUnit::count, "/couplets");
  add("runs", "runs of three and more " + beat_class, FindingUnit::count, "/runs");
  for (const std::string which : {"longest", "fastest"}) {
    const std::string run = which + "_run", of = "the " + which + " run of " + beat_class, place = "/" + run;
    add(run + "_beats", "beats of " + of, FindingUnit::count, place + "/beats");
    add(run + "_bpm", "rate of " + of + ", beats a minute", FindingUnit::bpm, place + "/rate_bpm");
    add(run + "_s", "start of " + of, FindingUnit::time, place + "/start_s");
  }
}

std::vector<FindingColumn> all_columns() {
  std::vector<FindingColumn> columns;
  add_classes(columns, "VS");
  columns.push_back({"af_share", "af_percent", "AF", "atrial fibrillation, share of the classified time",
                     FindingUnit::share, "/af/share", true});
  columns.push_back({"longest_pause_s", "longest_pause", "Longest pause", "longest interval above episodes.pause_s",
                     FindingUnit::seconds, "/longest_pause_s", true});
  add_classes(columns, "NFQ");
  add_labels(columns);
  const auto add = [&](const char* name, const char* what, FindingUnit unit, const char* place) {
    columns.push_back({name, name, name, what, unit, place});
  };
  add("af_assessed_s", "seconds in which atrial fibrillation can be detected", FindingUnit::seconds, "/af/assessed_s");
  add("longest_rr_s", "longest valid RR interval", FindingUnit::seconds, "/longest_rr_s");
  add("hrv_intervals", "normal intervals of the heart rate variability", FindingUnit::count, "/hrv/intervals");
  add("hrv_used_share", "their share of all intervals", FindingUnit::share, "/hrv/used_share");
  add("mean_nn_ms", "mean normal interval", FindingUnit::milliseconds, "/hrv/mean_nn_ms");
  add("sdnn_ms", "SDNN", FindingUnit::milliseconds, "/hrv/sdnn_ms");
  add("rmssd_ms", "RMSSD", FindingUnit::milliseconds, "/hrv/rmssd_ms");
  add("pnn50_percent", "pNN50", FindingUnit::percent, "/hrv/pnn50_percent");
  add("lf_ms2", "power from 0.04 to 0.15 Hz", FindingUnit::ms2, "/hrv/lf_ms2");
  add("hf_ms2", "power from 0.15 to 0.4 Hz", FindingUnit::ms2, "/hrv/hf_ms2");
  add("lf_hf", "LF over HF", FindingUnit::ratio, "/hrv/lf_hf");
  add_later_measures(columns);
  for (const char letter : std::string_view("VS")) add_burden(columns, std::string(1, letter));
  return columns;
}

// Json::value() would throw and catch an exception for each label without episodes.
std::optional<double> number_at(const Json& findings, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  if (!findings.is_object() || !findings.contains(place)) return {};
  const Json& value = findings.at(place);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

// Returns whether the missing count of a label means "no episodes", and not "undetermined".
bool known_absent(const Json& findings, const std::string& place) {
  if (!place.starts_with("/episodes/") || !findings.contains("episodes")) return false;
  return !place.starts_with("/episodes/AFIB/") || number_at(findings, "/af/seconds");
}

}  // namespace

const std::vector<FindingColumn>& finding_columns() {
  static const std::vector<FindingColumn> columns = all_columns();
  return columns;
}

std::vector<std::optional<double>> finding_values(const Json& findings) {
  std::vector<std::optional<double>> values(finding_columns().size());
  if (!findings.is_object()) return values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& place = finding_columns()[i].place;
    values[i] = number_at(findings, place);
    if (!values[i] && known_absent(findings, place)) values[i] = 0;
  }
  return values;
}

const std::vector<FindingColumn>& wave_columns() {
  using enum FindingUnit;
  static const std::vector<FindingColumn> columns = {
      {"pr_ms", "pr_ms", "PR", "median PR interval", milliseconds, "/pr_ms", true},
      {"qrs_ms", "qrs_ms", "QRS", "median QRS duration", milliseconds, "/qrs_ms", true},
      {"qtc_ms", "qtc_ms", "QTc", "median QT interval, corrected for the heart rate", milliseconds, "/qtc_ms", true},
      {"longest_qtc_ms", "longest_qtc_ms", "Longest QTc", "the longest median QTc of a minute", milliseconds,
       "/longest_qtc/qtc_ms", true},
      {"longest_qtc_s", "longest_qtc_s", "Longest QTc at", "when the minute with the longest QTc begins", time,
       "/longest_qtc/begin_s", true}};
  return columns;
}

std::vector<std::optional<double>> wave_values(const Json& waves) {
  std::vector<std::optional<double>> values;
  for (const auto& column : wave_columns()) values.push_back(number_at(waves, column.place));
  return values;
}

namespace {

std::string key_of(BeatClass beat_class) { return std::string(1, letter_of(beat_class)); }

Json classes_json(const RhythmBeats& beats) {
  Json beat_classes = Json::object();
  for (int k = 0; k < kBeatClassCount; ++k)
    beat_classes[key_of(static_cast<BeatClass>(k))] = std::ranges::count(beats.beat_classes, static_cast<BeatClass>(k));
  return beat_classes;
}

// Counts the episodes of each label that occurs.
Json episode_counts(const RhythmBeats& beats, const Episodes& episodes) {
  Json counts = Json::object();
  for (const Episode& episode : episodes.list) {
    const double seconds = (episode.end - episode.start) / beats.sample_rate_hz;
    Json& of_label = counts[std::string(name_of(episode.label))];
    if (of_label.is_null())
      of_label = {{"count", 0},     {"in_good_signal", 0}, {"beats", 0},
                  {"seconds", 0.0}, {"longest_s", 0.0},    {"first_s", episode.start / beats.sample_rate_hz}};
    of_label["count"] = of_label["count"].get<std::int64_t>() + 1;
    of_label["in_good_signal"] = of_label["in_good_signal"].get<std::int64_t>() + (episode.quality == Quality::good);
    of_label["beats"] = of_label["beats"].get<std::int64_t>() + episode.beats;
    of_label["seconds"] = of_label["seconds"].get<double>() + seconds;
    of_label["longest_s"] = std::max(of_label["longest_s"].get<double>(), seconds);
  }
  return counts;
}

std::optional<double> longest_pause_s(const RhythmBeats& beats, const Episodes& episodes) {
  std::optional<double> longest;
  for (const Episode& episode : episodes.list)
    if (episode.label == EpisodeLabel::pause)
      longest = std::max(longest.value_or(0), (episode.end - episode.start) / beats.sample_rate_hz);
  return longest;
}

// Returns the longest known interval.
std::optional<double> longest_rr_s(const RhythmBeats& beats, const Episodes& episodes) {
  std::optional<double> longest;
  for (std::int64_t i = 0; i < std::ssize(episodes.linked); ++i)
    if (!beats.broken[i] && !episodes.hidden[i])
      longest = std::max(longest.value_or(0), interval_of(beats, i) / beats.sample_rate_hz);
  return longest;
}

Json burden_json(const AfBurden& af) {
  return {{"seconds", af.assessed_s > 0 ? Json(af.afib_s) : Json(nullptr)},
          {"assessed_s", af.assessed_s},
          {"share", af.assessed_s > 0 ? Json(af.afib_s / af.assessed_s) : Json(nullptr)}};
}

Json run_json(const std::optional<BeatRunFacts>& run) {
  if (!run) return nullptr;
  return {{"beats", run->beats}, {"rate_bpm", run->rate_bpm}, {"start_s", run->start_s}};
}

Json burden_json(const ClassBurden& burden) {
  return {{"percent", or_null(burden.percent)},
          {"per_hour", or_null(burden.per_hour)},
          {"couplets", burden.couplets},
          {"runs", burden.runs},
          {"longest_run", run_json(burden.longest)},
          {"fastest_run", run_json(burden.fastest)}};
}

Json hrv_json(const Hrv& hrv) {
  return {{"intervals", hrv.intervals},
          {"used_share", hrv.used_share},
          {"nn_s", hrv.nn_s},
          {"mean_nn_ms", or_null(hrv.mean_nn_ms)},
          {"sdnn_ms", or_null(hrv.sdnn_ms)},
          {"rmssd_ms", or_null(hrv.rmssd_ms)},
          {"pnn50_percent", or_null(hrv.pnn50_percent)},
          {"lf_ms2", or_null(hrv.lf_ms2)},
          {"hf_ms2", or_null(hrv.hf_ms2)},
          {"lf_hf", or_null(hrv.lf_hf)},
          {"windows", hrv.windows},
          {"sdann_ms", or_null(hrv.sdann_ms)},
          {"vlf_ms2", or_null(hrv.vlf_ms2)},
          {"sd1_ms", or_null(hrv.sd1_ms)},
          {"sd2_ms", or_null(hrv.sd2_ms)},
          {"dfa_alpha1", or_null(hrv.dfa_alpha1)},
          {"dfa_alpha2", or_null(hrv.dfa_alpha2)},
          {"dc_ms", or_null(hrv.dc_ms)},
          {"hrt_vpcs", hrv.hrt_vpcs},
          {"hrt_onset_percent", or_null(hrv.hrt_onset_percent)},
          {"hrt_slope_ms_per_rr", or_null(hrv.hrt_slope_ms_per_rr)}};
}

}  // namespace

Json findings_json(const RhythmBeats& beats, const RhythmFindings& findings) {
  return {{"kinds", classes_json(beats)},
          {"episodes", episode_counts(beats, findings.episodes)},
          {"af", burden_json(findings.af)},
          {"longest_pause_s", or_null(longest_pause_s(beats, findings.episodes))},
          {"longest_rr_s", or_null(longest_rr_s(beats, findings.episodes))},
          {"hrv", hrv_json(findings.hrv)},
          {"burden", {{"V", burden_json(findings.ventricular)}, {"S", burden_json(findings.supraventricular)}}}};
}

Json hours_json(const RhythmFindings& findings) {
  Json hours = Json::array();
  for (const HourFacts& hour : findings.hours) {
    Json beat_classes = Json::object();
    for (int k = 0; k < kBeatClassCount; ++k) beat_classes[key_of(static_cast<BeatClass>(k))] = hour.beat_classes[k];
    hours.push_back({{"from_s", hour.from_s},
                     {"beats", hour.beats},
                     {"rate_bpm", or_null(hour.rate_bpm)},
                     {"kinds", beat_classes},
                     {"afib_s", hour.afib_s},
                     {"assessed_s", hour.assessed_s}});
  }
  return hours;
}

namespace {

// Returns a value rounded to this many parts of one, or null for NaN. Adding 0 avoids -0.
Json rounded(double value, double parts) {
  return or_null(std::isnan(value) ? std::nullopt : std::optional(std::round(value * parts) / parts + 0.0));
}

// `leads` are names, one for each lead of the medians.
Json medians_json(const IntervalMedians& medians, const std::vector<std::string>& leads) {
  Json st = Json::object();
  for (std::size_t l = 0; l < medians.st_mv.size(); ++l) st[leads[l]] = rounded(medians.st_mv[l], 1000);
  return {{"beats", medians.beats},
          {"pr_ms", rounded(medians.pr, 10)},
          {"qrs_ms", rounded(medians.qrs, 10)},
          {"qt_ms", rounded(medians.qt, 10)},
          {"qtc_ms", rounded(medians.qtc, 10)},
          {"p_share", rounded(medians.p_share, 10000)},
          {"st_mv", std::move(st)},
          {"non_conducted_p", medians.non_conducted}};
}

}  // namespace

Json waves_json(const RunResult& result) {
  if (!result.waves.summary || result.waves.beats->beats() == 0) return nullptr;
  const WaveSummary& summary = *result.waves.summary;
  const auto names = distinct_lead_names(result);
  std::vector<std::string> leads;
  for (const std::int64_t lead : result.waves.beats->leads) leads.push_back(names[lead]);
  Json json = medians_json(summary.all, leads);
  json["longest_qtc"] = nullptr;
  if (const auto& longest = summary.longest_qtc)
    json["longest_qtc"] = {{"qtc_ms", rounded(longest->qtc_ms, 10)}, {"begin_s", longest->begin_s}};
  json["hours"] = Json::array();
  for (const auto& hour : summary.hours) json["hours"].push_back(medians_json(hour, leads));
  json["model_sha256"] = result.waves.model_sha256;
  return json;
}

}  // namespace beatscan
