#include "app/result/multiqc.h"

#include <algorithm>
#include <string>

#include "app/result/csv_files.h"
#include "app/result/findings_json.h"
#include "app/result/summary_text.h"

namespace beatscan {
namespace {

Json column(const char* title, const char* description, const char* format, Json more) {
  Json header = {{"title", title}, {"description", description}, {"format", format}, {"min", 0}};
  header.update(more);
  return header;
}

// Describes the table's columns. The colours are told apart by everybody.
Json headers() {
  return {{"hours", column("Duration", "hours of signal", "{:,.2f}", {{"suffix", " h"}, {"scale", "Greys"}})},
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
          {"beats_v", column("V", "beats of an odd and wide shape", "{:,.0f}", {{"scale", "Oranges"}})},
          {"beats_s", column("S", "early beats of a usual shape", "{:,.0f}", {{"scale", "Oranges"}})},
          {"af_percent", column("AF", "atrial fibrillation, of the recording", "{:,.1f}",
                                {{"max", 100}, {"suffix", " %"}, {"scale", "Oranges"}})},
          {"longest_pause", column("Longest pause", "longest interval above episodes.pause_s", "{:,.2f}",
                                   {{"suffix", " s"}, {"scale", "Purples"}})},
          {"warnings", column("Warnings", "see the recording's report", "{:,.0f}", {{"scale", "Oranges"}})}};
}

Json row_of(const RunResult& result) {
  const AnomalyCounts counts = anomaly_counts(result);
  Json row = {{"beats", result.beats.found.r_peaks.size()},
              {"anomalous_good", counts.good},
              {"anomalous_good_percent", 100 * counts.good_share()},
              {"anomalous_poor", counts.poor},
              {"anomalous", result.scored.scores.anomalous_count},
              {"anomalous_percent", 100 * anomalous_share(result)},
              {"warnings", warnings_of(result).size()}};
  if (result.input.sample_rate_hz)
    row["hours"] = static_cast<double>(result.input.samples) / *result.input.sample_rate_hz / 3600;
  if (const auto rate = median_heart_rate(result)) row["heart_rate"] = *rate;
  if (result.rhythm) {
    const Json findings = findings_json(rhythm_beats(result), *result.rhythm);
    row["beats_v"] = findings["kinds"]["V"];
    row["beats_s"] = findings["kinds"]["S"];
    if (const Json& share = findings["af"]["share"]; share.is_number()) row["af_percent"] = 100 * share.get<double>();
    if (const Json& pause = findings["longest_pause_s"]; pause.is_number()) row["longest_pause"] = pause;
  }
  if (const auto share = analysable_share(result)) row["analysable_percent"] = 100 * *share;
  return row;
}

// Replaces characters of markup: MultiQC puts names into its page as they are.
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
