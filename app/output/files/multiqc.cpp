#include "app/output/files/multiqc.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "app/output/files/finding_columns.h"
#include "app/output/files/findings_json.h"
#include "app/output/files/waves_json.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "app/output/text/advisories.h"
#include "app/output/text/summary_text.h"

namespace beatscan {
namespace {

Json column(const char* title, const char* description, const char* format, Json more) {
  Json header = {{"title", title}, {"description", description}, {"format", format}, {"min", 0}};
  header.update(more);
  return header;
}

// Describes a column of the classification.
Json finding_header(const FindingColumn& finding) {
  Json header = column(finding.title.c_str(), finding.what.c_str(), "{:,.1f}", {{"scale", "Oranges"}});
  if (finding.unit == FindingUnit::count) header["format"] = "{:,.0f}";
  if (finding.unit == FindingUnit::share || finding.unit == FindingUnit::percent) {
    header["max"] = 100;
    header["suffix"] = " %";
  }
  if (finding.unit == FindingUnit::time) header["format"] = "{:,.0f}", header["suffix"] = " s";
  if (finding.unit == FindingUnit::seconds) header["format"] = "{:,.2f}", header["suffix"] = " s";
  if (finding.unit == FindingUnit::milliseconds) header["suffix"] = " ms";
  if (!finding.telling) header["hidden"] = true;
  return header;
}

// Describes the table's columns. The colours are distinguishable for colour-blind readers.
Json headers() {
  Json all = {{"hours", column("Duration", "hours of signal", "{:,.2f}", {{"suffix", " h"}, {"scale", "Greys"}})},
              {"beats", column("Beats", "beats found", "{:,.0f}", {{"scale", "Blues"}})},
              {"heart_rate",
               column("Heart rate", "median, beats a minute", "{:,.0f}", {{"suffix", "/min"}, {"scale", "Purples"}})},
              {"anomalous_good", column("Abnormal beats", "in good signal, with a score above the threshold", "{:,.0f}",
                                        {{"scale", "Oranges"}})},
              {"anomalous_good_percent", column("Abnormal", "abnormal beats of those scored, in good signal", "{:,.2f}",
                                                {{"suffix", " %"}, {"scale", "Oranges"}})},
              {"anomalous_poor", column("In poor signal",
                                        "beats in poor signal with a score above the threshold: may be "
                                        "noise",
                                        "{:,.0f}", {{"scale", "Greys"}})},
              {"anomalous", column("Abnormal, all", "beats with a score above the threshold, in any signal", "{:,.0f}",
                                   {{"scale", "Oranges"}, {"hidden", true}})},
              {"anomalous_percent", column("Abnormal, all", "abnormal beats of those scored, in any signal", "{:,.2f}",
                                           {{"suffix", " %"}, {"scale", "Oranges"}, {"hidden", true}})},
              {"analysable_percent", column("Analysable", "good signal of all signal", "{:,.1f}",
                                            {{"max", 100}, {"suffix", " %"}, {"scale", "Blues"}})},
              {"advisories", column("Advisories", "see the recording's report", "{:,.0f}", {{"scale", "Oranges"}})}};
  for (const auto* columns : {&finding_columns(), &wave_columns()})
    for (const auto& finding : *columns) all[finding.multiqc_key] = finding_header(finding);
  return all;
}

// Adds the known values.
void add_cells(Json& row, const std::vector<FindingColumn>& columns, const std::vector<std::optional<double>>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const FindingColumn& finding = columns[i];
    if (!values[i]) continue;
    if (finding.unit == FindingUnit::count)
      row[finding.multiqc_key] = std::llround(*values[i]);
    else
      row[finding.multiqc_key] = finding.unit == FindingUnit::share ? 100 * *values[i] : *values[i];
  }
}

Json row_of(const RunResult& result) {
  const AnomalyCounts counts = anomaly_counts(result);
  Json row = {
      {"beats", result.beats.found.r_peaks.size()},          {"anomalous_good", counts.good},
      {"anomalous_good_percent", 100 * counts.good_share()}, {"anomalous_poor", counts.poor},
      {"anomalous", result.scored.scores.anomalous_count},   {"anomalous_percent", 100 * anomalous_share(result)},
      {"advisories", advisories_of(result).size()}};
  if (result.input.sample_rate_hz)
    row["hours"] = static_cast<double>(result.input.samples) / *result.input.sample_rate_hz / 3600;
  if (const auto rate = median_heart_rate(result)) row["heart_rate"] = *rate;
  if (result.rhythm)
    add_cells(row, finding_columns(), finding_values(findings_json(rhythm_beats(result), *result.rhythm)));
  add_cells(row, wave_columns(), wave_values(waves_json(result)));
  if (const auto share = analysable_share(result)) row["analysable_percent"] = 100 * *share;
  return row;
}

// Replaces markup characters, because MultiQC does not escape names in its page.
std::string harmless(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < ' ' || c == '<' || c == '>' || c == '&' || c == '"' || c == '\''; }, '_');
  return name;
}

}  // namespace

Json multiqc_json(const RunResult& result) {
  return {{"id", "beatscan"},
          {"section_name", "beatscan"},
          {"description", "Beats of ECG recordings, and the abnormal ones among them. For research; not a diagnosis."},
          {"plot_type", "table"},
          {"pconfig", {{"id", "beatscan_recordings"}, {"title", "beatscan: recordings"}, {"col1_header", "Recording"}}},
          {"headers", headers()},
          {"data", {{harmless(result.input.name), row_of(result)}}}};
}

}  // namespace beatscan
