#include "app/output/files/finding_columns.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stages/common/letters.h"
#include "stages/rhythm/episode.h"

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

}  // namespace beatscan
