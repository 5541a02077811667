#include "app/report/cohort_row.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/output/advisories.h"
#include "app/output/findings_json.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "app/output/summary_text.h"
#include "kernels/runtime/error.h"

namespace beatscan {

const char* name_of(RecordingState state) {
  constexpr const char* kNames[] = {"complete", "failed", "running", "interrupted", "missing"};
  return kNames[static_cast<int>(state)];
}

CohortRow failed_row(std::string input, std::string name, int status, std::string why) {
  return {.input = std::move(input),
          .name = std::move(name),
          .failure = std::move(why),
          .state = RecordingState::failed,
          .failure_status = status};
}

CohortRow cohort_row(const RunResult& result) {
  const AnomalyCounts counts = anomaly_counts(result);
  CohortRow row{.input = result.input.path.string(),
                .name = result.input.name,
                .beats_a_minute = median_heart_rate(result),
                .analysable_share = analysable_share(result),
                .beats = std::ssize(result.beats.found.r_peaks),
                .anomalous = result.scored.scores.anomalous_count,
                .anomalous_share = anomalous_share(result),
                .by_signal = {counts.good, counts.poor, counts.good_share()},
                .advisories = {}};
  for (const Advisory& advisory : advisories_of(result))
    row.advisories.push_back(text_of(advisory, distinct_lead_names(result)));
  if (result.input.sample_rate_hz)
    row.duration_s = static_cast<double>(result.input.samples) / *result.input.sample_rate_hz;
  if (result.model.drift) row.drift = result.model.drift->value;
  if (result.rhythm.findings)
    row.findings = finding_values(findings_json(rhythm_beats(result), *result.rhythm.findings));
  const Json waves = waves_json(result);
  row.waves = wave_values(waves);
  row.p_waves = p_waves_of(waves);
  return row;
}

std::optional<double> finding_of(const CohortRow& row, std::size_t column) {
  return column < row.findings.size() ? row.findings[column] : std::nullopt;
}

std::optional<CohortRow::PWaves> p_waves_of(const Json& waves) {
  if (!waves.is_object()) return {};
  const Json share = waves.value("p_share", Json()), beats = waves.value("beats", Json());
  if (!share.is_number() || !beats.is_number()) return {};
  return CohortRow::PWaves{share.get<double>(), std::llround(share.get<double>() * beats.get<double>())};
}

std::optional<double> finding_named(const CohortRow& row, std::string_view name) {
  const auto column = std::ranges::find(finding_columns(), name, &FindingColumn::name);
  BEATSCAN_EXPECTS(column != finding_columns().end(), "finding_named: unknown column");
  return finding_of(row, column - finding_columns().begin());
}

std::optional<double> wave_value_of(const CohortRow& row, std::size_t column) {
  return column < row.waves.size() ? row.waves[column] : std::nullopt;
}

std::string joined_advisories(const CohortRow& row) {
  std::string all;
  for (const auto& text : row.advisories) all += (all.empty() ? "" : "; ") + text;
  return all;
}

}  // namespace beatscan
