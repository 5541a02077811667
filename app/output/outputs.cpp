#include "app/output/outputs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/build_info.h"
#include "app/common/numbers.h"
#include "app/config/config.h"
#include "app/output/advisories.h"
#include "app/output/annotation_file.h"
#include "app/output/beats_table.h"
#include "app/output/csv_files.h"
#include "app/output/findings_json.h"
#include "app/output/hrv_csv.h"
#include "app/output/model_file.h"
#include "app/output/output_folder.h"
#include "app/output/result_facts.h"
#include "app/output/rhythm_state.h"
#include "app/output/run_result.h"
#include "app/output/summary_json.h"
#include "app/output/summary_text.h"
#include "app/output/tables/parquet.h"
#include "app/output/tables/table_csv.h"
#include "app/output/tables/table_rows.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/one_line.h"

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
  if (result.rhythm.findings)
    add_cells(row, finding_columns(), finding_values(findings_json(rhythm_beats(result), *result.rhythm.findings)));
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
  static const Json columns = headers();  // takes longer than a row
  return {{"id", "beatscan"},
          {"section_name", "beatscan"},
          {"description", "Beats of ECG recordings, and the abnormal ones among them. For research; not a diagnosis."},
          {"plot_type", "table"},
          {"pconfig", {{"id", "beatscan_recordings"}, {"title", "beatscan: recordings"}, {"col1_header", "Recording"}}},
          {"headers", columns},
          {"data", {{harmless(result.input.name), row_of(result)}}}};
}

void set_multiqc_findings(const Json& findings, Json& row) {
  for (const FindingColumn& column : finding_columns()) row.erase(column.multiqc_key);
  add_cells(row, finding_columns(), finding_values(findings));
}

namespace {

using Works = std::vector<std::function<void()>>;

// Runs functions concurrently. If some throw, throws the exception of the first of them.
void run_side_by_side(const Works& works) {
  parallel_each(Cpu(), std::ssize(works), [&](std::int64_t i) { works[i](); });
}

void write_parts(OutputFolder& folder, const char* name, const std::vector<std::string>& parts) {
  folder.write_parts(name, std::vector<std::string_view>(parts.begin(), parts.end()));
}

HrvRecording hrv_recording(const RunResult& result, const Config& config) {
  return {.length_s = static_cast<double>(result.input.samples) / *result.input.sample_rate_hz,
          .start = result.input.signal.start,
          .events = result.input.signal.events,
          .parts = config.hrv,
          .measures = config.episodes.hrv};
}

// Returns the table with the beats of some classes alone.
Table beats_of_classes(const Table& beats, const RunResult& result, std::string_view letters) {
  std::vector<std::int64_t> rows;
  for (std::int64_t beat = 0; beat < beats.rows; ++beat)
    if (is_of_classes(result, beat, letters)) rows.push_back(beat);
  return with_rows(beats, rows);
}

// Returns functions that write the files that a page is made from, and other short files that do not need the table of
// beats.
Works short_files(OutputFolder& folder, const RunResult& result, const Config& config, const Json& config_json,
                  const Json& evaluation) {
  return {[&] { folder.write("summary.json", text_of(summary_json(result, config, evaluation)) + "\n"); },
          [&] { folder.write("config.json", text_of(config_json) + "\n"); },
          [&] { folder.write("generated.csv", generated_csv(result)); },
          [&] { folder.write(result.input.name + "_mqc.json", text_of(multiqc_json(result)) + "\n"); },
          [&] {
            if (result.beats.quality) folder.write("quality.csv", quality_csv(result));
          },
          [&] {
            if (result.classes.findings) folder.write("templates.csv", templates_csv(result));
          },
          [&] {
            if (!result.rhythm.findings) return;
            const auto& episodes = result.rhythm.findings->episodes;
            folder.write("episodes.csv", episodes_csv(rhythm_beats(result), episodes, result.input.signal.start));
          },
          [&] {
            if (!result.rhythm.findings) return;
            folder.write("hrv.csv",
                         hrv_csv(rhythm_beats(result), *result.rhythm.findings, hrv_recording(result, config)));
          },
          [&] {
            if (config.output.nn && result.rhythm.findings)
              folder.write("nn.csv", nn_csv(rhythm_beats(result), result.rhythm.findings->episodes));
          },
          [&] {
            if (!result.model.why_none.empty()) return;
            const SavedModel model{config, result.model.parameters, result.model.training_spread};
            folder.write("model.safetensors", model_safetensors(model, config_json));
          },
          [&] { write_report_data(folder, result.report, result.beats.row_points); },
          [&] { write_rhythm_state(folder, result); }};
}

// Returns functions that write the tables of beats and waves, and the saved arrays. `beats` are those to write.
Works long_files(OutputFolder& folder, const RunResult& result, const Config& config, const Table& beats,
                 TableForm form) {
  const bool waves = config.output.waves && result.waves.beats;
  return {[&, waves, form] {
            if (waves) write_waves(folder, result, config, form);  // takes the longest
          },
          [&, waves] {
            if (waves) folder.write(record_name(result.input.path) + ".waves", wave_annotations(result));
          },
          [&, form] {
            if (wants_csv(form))
              folder.write_by("beats.csv", [&](const OutputFolder::Append& append) { write_csv(beats, true, append); });
          },
          [&, form] {
            if (wants_parquet(form)) folder.write("beats.parquet", parquet_bytes(beats));
          },
          [&] { write_parts(folder, "abnormal.csv", abnormal_csv_parts(result, config.output.only)); },
          [&] { folder.write(record_name(result.input.path) + ".vae", annotation_file(result)); },
          [&] {
            if (result.classes.table) write_features(folder, *result.classes.table);
          },
          [&] {
            if (result.arrays) write_arrays(folder, result);
          }};
}

}  // namespace

void write_result(OutputFolder& folder, const RunResult& result, const Config& config, const Json& evaluation,
                  TableForm form, const std::function<void(const Table& beats)>& page) {
  Table beats;
  const Json config_json = to_json(config);
  Works works = short_files(folder, result, config, config_json, evaluation);
  works.insert(works.begin(), [&] { beats = beats_table(result); });  // takes the longest
  run_side_by_side(works);
  const std::string& only = config.output.only;
  const Table some = only.empty() ? Table() : beats_of_classes(beats, result, only);
  const Works longer = long_files(folder, result, config, only.empty() ? beats : some, form);
  bool page_is_begun = !page;
  const auto make_page = [&] {
    if (!std::exchange(page_is_begun, true)) page(beats);
  };
  try {
    works = longer;
    works.insert(works.begin(), make_page);
    run_side_by_side(works);
  } catch (const std::bad_alloc&) {  // too little memory for all at once; finished ones have freed their share
    for (const auto& work : longer) work();
    make_page();  // unless it was begun
  }
}

namespace {

double duration_s(const RhythmResult& result) {
  return static_cast<double>(result.length) / result.beats.sample_rate_hz;
}

Json rhythm_summary(const RhythmResult& result) {
  return {{"schema_version", 1},
          {"kind", "rhythm"},
          {"input",
           {{"path", result.path.string()},
            {"bytes", result.bytes},
            {"sha256", result.sha256},
            {"samples", result.length},
            {"duration_s", duration_s(result)}}},
          {"sample_rate", {{"hz", result.beats.sample_rate_hz}}},
          {"beats", {{"found", result.samples.size()}}},
          {"rhythm", {{"model_sha256", result.model_sha256}}},
          {"findings", findings_json(result.beats, result.findings)},
          {"hours", hours_json(result.findings)},
          {"advisories", advisories_json(advisories_of(result), {})},
          {"versions", {{"beatscan", BEATSCAN_VERSION}, {"compiler", BEATSCAN_COMPILER}}},
          {"run", {{"command", result.command}}}};
}

}  // namespace

std::vector<Advisory> advisories_of(const RhythmResult& result) {
  return advisories_of_list(result.warnings, result.samples, result.beats.sample_rate_hz);
}

void write_result(OutputFolder& folder, const RhythmResult& result, const Config& config) {
  std::vector<BeatMark> marks;
  for (std::size_t i = 0; i < result.samples.size(); ++i) marks.push_back({result.samples[i], result.symbols[i]});
  folder.write("episodes.csv", episodes_csv(result.beats, result.findings.episodes));
  folder.write("hrv.csv",
               hrv_csv(result.beats, result.findings,
                       {.length_s = duration_s(result), .parts = config.hrv, .measures = config.episodes.hrv}));
  if (config.output.nn) folder.write("nn.csv", nn_csv(result.beats, result.findings.episodes));
  folder.write("summary.json", text_of(rhythm_summary(result)) + "\n");
  folder.write("config.json", text_of(to_json(config)) + "\n");
  folder.write(result.path.stem().string() + ".vae",
               annotation_file(marks, result.findings.episodes.list, result.beats.sample_rate_hz));
}

std::string summary_text(const RhythmResult& result, const std::filesystem::path& folder) {
  std::string text = in_one_line(result.path.string()) + ": " + grouped(std::ssize(result.samples), "beat") + "\n";
  text += "duration   " + duration(duration_s(result)) + " at " + significant(result.beats.sample_rate_hz, 6) + " Hz\n";
  text += "episodes   " + episode_figures(result.beats, result.findings) + "\n";
  text += "results    " + in_one_line(folder.string()) + "\n";
  return text;
}

}  // namespace beatscan
