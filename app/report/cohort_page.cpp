#include "app/report/cohort_page.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "app/common/build_info.h"
#include "app/common/json_text.h"
#include "app/common/numbers.h"
#include "app/output/findings_json.h"
#include "app/output/output_folder.h"
#include "app/report/assets.h"
#include "app/report/cohort_row.h"
#include "app/report/drawing/html.h"
#include "app/report/page_template.h"

namespace beatscan {
namespace {

// Escapes all bytes of a path's segment except the unreserved ones (RFC 3986).
std::string url_of(const std::string& name) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string url;
  for (const unsigned char c : name)
    if (kPlain.find(static_cast<char>(c)) != kPlain.npos)
      url += static_cast<char>(c);
    else
      (url += '%') += {kDigits[c / 16], kDigits[c % 16]};
  return url;
}

const char* name_of(FindingUnit unit) {
  constexpr const char* kNames[] = {"count", "share", "seconds", "time", "milliseconds", "percent", "ms2", "ratio"};
  return kNames[static_cast<int>(unit)];
}

// Returns the columns of the findings that pages show, behind those of every result: [{key, title, what, unit}, …].
Json columns_json() {
  Json columns = Json::array();
  const auto add = [&](const char* key, const char* title, const char* what, FindingUnit unit) {
    columns.push_back({{"key", key}, {"title", title}, {"what", what}, {"unit", name_of(unit)}});
  };
  add("duration_s", "duration", "length of the recording", FindingUnit::seconds);
  add("beats", "beats", "beats found", FindingUnit::count);
  add("beats_a_minute", "rate", "median heart rate, beats a minute", FindingUnit::count);
  add("abnormal", "abnormal", "abnormal beats in good signal", FindingUnit::count);
  add("abnormal_share", "share", "their share of the scored beats in good signal", FindingUnit::share);
  add("abnormal_poor", "in poor", "abnormal beats in poor signal", FindingUnit::count);
  add("analysable_share", "analysable", "share of good signal", FindingUnit::share);
  for (const auto* list : {&finding_columns(), &wave_columns()})
    for (const auto& column : *list)
      if (column.telling) add(column.name.c_str(), column.title.c_str(), column.what.c_str(), column.unit);
  return columns;
}

RecordingState state_of(const CohortRow& row) { return row.failure.empty() ? row.state : RecordingState::failed; }

bool is_complete(const CohortRow& row) { return state_of(row) == RecordingState::complete; }

// Returns the text of the last cell of a recording.
std::string remark_of(const CohortRow& row) {
  if (!row.failure.empty()) return "failed: " + row.failure;
  if (row.state == RecordingState::interrupted) return "interrupted; --resume makes it";
  return row.state == RecordingState::complete ? joined_advisories(row) : name_of(row.state);
}

// Returns where the result of a row lies, seen from the page.
std::string url_of_result(const CohortRow& row) {
  if (row.folder.empty()) return url_of(row.name);
  std::string url;
  for (const auto& part : std::filesystem::path(row.folder)) url += (url.empty() ? "" : "/") + url_of(part.string());
  return url;
}

// Returns {name, link, revised, state, remark, af_confidence, p_waves, values}; `revised` is the link to the result
// with corrections. The values are those of the columns. What there is not is null.
Json row_json(const CohortRow& row) {
  const bool complete = is_complete(row);
  const auto number = [&](double value) { return complete ? Json(value) : Json(); };
  const std::string url = url_of_result(row), page = row.page ? "/report.html" : "/";
  Json values{or_null(row.duration_s),          number(static_cast<double>(row.beats)),
              or_null(row.beats_a_minute),      number(static_cast<double>(row.by_signal.good)),
              number(row.by_signal.good_share), number(static_cast<double>(row.by_signal.poor)),
              or_null(row.analysable_share)};
  for (std::size_t i = 0; i < finding_columns().size(); ++i)
    if (finding_columns()[i].telling) values.push_back(or_null(finding_of(row, i)));
  for (std::size_t i = 0; i < wave_columns().size(); ++i)
    if (wave_columns()[i].telling) values.push_back(or_null(wave_value_of(row, i)));
  return {{"name", row.name},
          {"link", complete ? Json(url + page) : Json()},
          {"revised", complete && row.revised ? Json(url + "/" + kRevisedFolder + page) : Json()},
          {"state", name_of(state_of(row))},
          {"remark", remark_of(row)},
          {"af_confidence", or_null(row.af_confidence)},
          {"p_waves", row.p_waves ? Json{{"share", row.p_waves->share}, {"beats", row.p_waves->beats}} : Json()},
          {"values", values}};
}

// Returns ", 1 of them failed, 2 running"; empty where all are complete.
std::string incomplete_counts(const std::vector<CohortRow>& rows) {
  std::string text;
  for (const auto state :
       {RecordingState::failed, RecordingState::running, RecordingState::interrupted, RecordingState::missing}) {
    if (const auto count = std::ranges::count(rows, state, state_of); count > 0)
      text += ", " + grouped(count) + (text.empty() ? " of them " : " ") + name_of(state);
  }
  return text;
}

// Returns "5 recordings, 1 of them failed: 2 h 3 min, 3,854 beats, 131 of them abnormal."
std::string cohort_headline(const std::vector<CohortRow>& rows) {
  std::int64_t beats = 0, anomalous = 0, poor = 0;
  double duration_s = 0;
  for (const auto& row : rows) {
    beats += row.beats;
    anomalous += row.by_signal.good;
    poor += row.by_signal.poor;
    duration_s += row.duration_s.value_or(0);
  }
  return grouped(std::ssize(rows), "recording") + incomplete_counts(rows) + ": " +
         (duration_s > 0 ? duration(duration_s) + ", " : "") + grouped(beats, "beat") + ", " + grouped(anomalous) +
         " of them abnormal" + (poor > 0 ? " in good signal, and " + grouped(poor) + " in poor signal." : ".");
}

// Returns what orders the rows of a page: those that are not complete, and then the most severe findings, of which the
// first counts most. An unknown value counts as 0.
std::vector<double> order_of(const CohortRow& row) {
  constexpr std::array kSeverity = {"vf_episodes", "vfl_episodes", "asys_episodes",
                                    "vt_episodes", "af_share",     "longest_pause_s"};
  std::vector<double> order{is_complete(row) ? 1.0 : 0.0};
  for (const std::string_view name : kSeverity) order.push_back(-finding_named(row, name).value_or(0));
  order.push_back(-row.by_signal.good_share);
  return order;
}

// Returns the rows that a page shows, in their order.
std::vector<const CohortRow*> rows_on_page(const std::vector<CohortRow>& rows) {
  std::vector<std::pair<std::vector<double>, const CohortRow*>> ordered;
  for (const auto& row : rows) ordered.emplace_back(order_of(row), &row);
  std::ranges::stable_sort(
      ordered, {}, [](const auto& pair) -> const auto& { return pair.first; });
  std::vector<const CohortRow*> shown;
  for (const auto& [order, row] : ordered)
    if (shown.size() < kMostPageRows) shown.push_back(row);
  return shown;
}

}  // namespace

std::string cohort_page(const std::vector<CohortRow>& rows) {
  Json shown = Json::array();
  for (const CohortRow* row : rows_on_page(rows)) shown.push_back(row_json(*row));
  const Json data = {{"columns", columns_json()}, {"rows", shown}, {"left_out", rows.size() - shown.size()}};
  return filled_page(
      kCohortHtml, {{"style", kCohortCss}, {"headline", escaped(cohort_headline(rows))}, {"version", BEATSCAN_VERSION}},
      PageScript(std::string("\n") + kCohortJs), {script_safe(text_of(data, -1))});
}

}  // namespace beatscan
