#include "app/revision/revised_files.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "app/common/json.h"
#include "app/common/json_text.h"
#include "app/common/sha256.h"
#include "app/common/whole_file.h"
#include "app/output/advisories.h"
#include "app/output/annotation_file.h"
#include "app/output/csv_files.h"
#include "app/output/findings_json.h"
#include "app/output/hrv_csv.h"
#include "app/output/output_folder.h"
#include "app/output/outputs.h"
#include "app/output/result_facts.h"
#include "app/report/report.h"
#include "app/report/stored/damaged_file.h"
#include "app/revision/revise.h"
#include "app/revision/revised_tables.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// --- summary.json

Json counts_json(const RevisedBeats& beats) {
  const RevisionCounts& counts = beats.counts;
  return {{"beats", counts.reclassified},  {"inserted", counts.inserted}, {"deleted", counts.deleted},
          {"templates", counts.templates}, {"noise_s", counts.noise_s},   {"episodes", counts.episodes},
          {"unmatched", beats.unmatched}};
}

// Counts the abnormal beats among those with a score again.
void revise_anomaly(const BeatTable& beats, Json& anomaly) {
  AnomalyCounts counts;
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < beats.size(); ++i) {
    const bool good = beats.quality[i] == Quality::good;
    kept += beats.kept[i];
    counts.good_beats += beats.kept[i] && good;
    (good ? counts.good : counts.poor) += beats.anomalous[i];
  }
  anomaly["count"] = counts.good + counts.poor;
  anomaly["share"] = kept > 0 ? static_cast<double>(counts.good + counts.poor) / static_cast<double>(kept) : 0;
  anomaly["count_in_good_signal"] = counts.good;
  anomaly["share_in_good_signal"] = counts.good_share();
  anomaly["count_in_poor_signal"] = counts.poor;
}

void revise_quality(const Revision& revision, const std::vector<PoorStretch>& noise, Json& quality) {
  double added = 0;
  for (const PoorStretch& its : noise) added += its.to - its.from;
  quality["beats_in_poor_signal"] =
      std::ranges::count_if(revision.result.beats.quality, [](Quality own) { return own != Quality::good; });
  if (noise.empty()) return;
  const double share = added / revision.result.length();
  quality["noisy_share"] = quality.value("noisy_share", 0.0) + share;
  quality["analysable_share"] = quality.value("analysable_share", 1.0) - share;
  quality["poor_share"] = 1 - quality["analysable_share"].get<double>();
}

// Replaces the advisory of fibrillation, the one that follows from episodes.
void revise_advisories(const Revision& revision, Json& advisories) {
  Json now = advisories_json(fibrillation_advisories(revision.findings.episodes.list, *revision.result.rate_hz), {});
  for (const Json& advisory : advisories)
    if (text_at(advisory, "id") != kFibrillationAdvisory) now.push_back(advisory);
  advisories = std::move(now);
}

void revise_summary(Revision& revision, const std::vector<PoorStretch>& noise) {
  Json& summary = revision.result.summary;
  const RhythmBeats beats = revision.beats.rhythm.view();
  const auto rate = heart_rate(beats, revision.findings.episodes.hidden);
  summary["beats"]["found"] = revision.beats.rhythm.beats();
  summary["beats"]["kept"] = std::ranges::count(revision.result.beats.kept, 1);
  summary["beats"]["median_a_minute"] = or_null(rate ? std::optional(rate->median) : std::nullopt);
  summary["findings"] = findings_json(beats, revision.findings);
  summary["hours"] = hours_json(revision.findings);
  summary["rhythm"] = {{"model_sha256", summary["rhythm"].value("model_sha256", "")}};
  revise_anomaly(revision.result.beats, summary["anomaly"]);
  revise_quality(revision, noise, summary["quality"]);
  revise_advisories(revision, summary["advisories"]);
  summary.erase("evaluation");  // of the analysis
  summary["revision"] = counts_json(revision.beats);
  summary["revision"]["warnings"] = revision.warnings;
  summary["revision"]["corrections_sha256"] = sha256_of(corrections_text(revision.corrections));
}

// --- The arrays of the page

// Returns the rows [K] of the gallery whose beats remain, and gives these their new numbers.
std::vector<std::int64_t> rows_that_stay(const RevisedBeats& beats, std::int64_t before,
                                         NpyFile<std::int64_t>& strips) {
  std::vector<std::int64_t> now(before, -1), stay, numbers;
  for (std::int64_t i = 0; i < std::ssize(beats.origin); ++i)
    if (beats.origin[i] >= 0) now[beats.origin[i]] = i;
  for (std::int64_t k = 0; k < strips.shape[0]; ++k) {
    if (now[strips.values[k]] < 0) continue;
    stay.push_back(k);
    numbers.push_back(now[strips.values[k]]);
  }
  strips = {{std::ssize(numbers)}, std::move(numbers)};
  return stay;
}

// Keeps some items of a dimension.
template <class T>
void keep_items(NpyFile<T>& file, std::size_t dimension, const std::vector<std::int64_t>& stay) {
  if (file.values.empty() || dimension >= file.shape.size()) return;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < file.shape.size(); ++d)
    (d < dimension ? outer : inner) *= d == dimension ? 1 : file.shape[d];
  std::vector<T> kept;
  for (std::int64_t o = 0; o < outer; ++o)
    for (const std::int64_t item : stay) {
      const auto first = file.values.begin() + (o * file.shape[dimension] + item) * inner;
      kept.insert(kept.end(), first, first + inner);
    }
  file.shape[dimension] = std::ssize(stay);
  file.values = std::move(kept);
}

void revise_arrays(Revision& revision, std::int64_t beats_before) {
  ReportArrays& arrays = revision.result.arrays;
  const std::int64_t before = arrays.strip_beats.shape[0];
  const auto stay = rows_that_stay(revision.beats, beats_before, arrays.strip_beats);
  if (std::ssize(stay) == before) return;
  keep_items(arrays.strips, revision.result.several_leads() ? 1 : 0, stay);
  keep_items(arrays.rows, 0, stay);
  keep_items(arrays.decoded, 0, stay);
  keep_items(arrays.row_leads, 0, stay);
}

// --- Files

std::string annotations_of(const Revision& revision) {
  std::vector<BeatMark> marks;
  const RhythmBeats beats = revision.beats.rhythm.view();
  const BeatTable& table = revision.result.beats;
  for (std::int64_t i = 0; i < table.size(); ++i) marks.push_back({table.sample[i], letter_of(beats.beat_classes[i])});
  return annotation_file(marks, revision.findings.episodes.list, beats.sample_rate_hz);
}

void revise_multiqc_row(const Json& summary, Json& row) {
  row["beats"] = summary["beats"]["found"];
  row.erase("heart_rate");
  if (const Json& rate = summary["beats"]["median_a_minute"]; rate.is_number()) row["heart_rate"] = rate;
  const Json& anomaly = summary["anomaly"];
  row["anomalous_good"] = anomaly["count_in_good_signal"];
  row["anomalous_good_percent"] = 100 * anomaly["share_in_good_signal"].get<double>();
  row["anomalous_poor"] = anomaly["count_in_poor_signal"];
  row["anomalous"] = anomaly["count"];
  row["anomalous_percent"] = 100 * anomaly["share"].get<double>();
  row["advisories"] = summary["advisories"].size();
  if (const Json quality = summary.value("quality", Json()); quality.is_object())
    row["analysable_percent"] = 100 * quality["analysable_share"].get<double>();
  set_multiqc_findings(summary["findings"], row);
}

// Returns MultiQC's file with the figures of the summary, in a row of its own beside that of the analysis.
std::string multiqc_text(const fs::path& path, const Json& summary) {
  Json document = parse_json_if_any<Json>(read_whole_file(path));
  if (!document.is_object() || !document.contains("data")) fail_damaged(path, "is not as expected");
  Json rows = Json::object();
  for (auto& [name, row] : document["data"].items()) {
    revise_multiqc_row(summary, row);
    rows[name + " (revised)"] = row;
  }
  document["data"] = std::move(rows);
  return text_of(document) + "\n";
}

// Links or copies the files that corrections do not change.
void keep_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (error) fs::copy_file(from, to, error);
  if (error) fail(ErrorKind::output, to.string(), "cannot be written (" + error.message() + ")");
}

bool is_state(const fs::path& name) {
  constexpr std::string_view kState[] = {"r_peaks.npy", "beat_state.npy", "rhythm_segments.npy", "evidence.npy"};
  return std::ranges::find(kState, name.string()) != std::end(kState);
}

void write_arrays(OutputFolder& folder, const Revision& revision) {
  const auto write = [&](const char* name, const auto& file) {
    write_npy(folder, std::string("report/") + name, file.values, file.shape);
  };
  const ReportArrays& arrays = revision.result.arrays;
  write("strip_beats.npy", arrays.strip_beats);
  write("strips.npy", arrays.strips);
  write("rows.npy", arrays.rows);
  write("decoded.npy", arrays.decoded);
  if (revision.result.several_leads()) {
    write("row_leads.npy", arrays.row_leads);
    std::vector<std::int64_t> rows;
    for (const PoorStretch& its : revision.result.poor)
      rows.insert(rows.end(), {std::llround(its.from * revision.beats.rhythm.sample_rate_hz),
                               std::llround(its.to * revision.beats.rhythm.sample_rate_hz),
                               static_cast<std::int64_t>(its.quality)});
    write_npy(folder, "report/poor.npy", rows, {std::ssize(rows) / 3, 3});
  }
  for (const auto& entry : fs::directory_iterator(revision.result.folder / "report")) {
    const fs::path name = entry.path().filename(), to = folder.partial() / "report" / name;
    if (std::error_code ignored; !is_state(name) && !fs::exists(to, ignored)) keep_file(entry.path(), to);
  }
}

// Returns the events of a diary that the result has.
std::vector<FileEvent> events_of(const Json& summary) {
  std::vector<FileEvent> events;
  for (const Json& its : summary.value("events", Json::array()))
    events.push_back({.time_s = its.at("time_s").get<double>(),
                      .duration_s = its.at("duration_s").get<double>(),
                      .text = its.at("text").get<std::string>()});
  return events;
}

HrvRecording hrv_recording(const Revision& revision, const std::vector<FileEvent>& events) {
  return {.length_s = revision.result.length(),
          .start = revision.result.start,
          .events = events,
          .parts = revision.config.hrv,
          .measures = revision.config.episodes.hrv};
}

// Writes the tables, and puts what the page shows of them into the result.
void revise_tables(Revision& revision, OutputFolder& folder) {
  StoredResult& result = revision.result;
  const auto put = [&](const char* name, const std::string& text) { folder.write(name, text); };
  const auto text_of_file = [&](const char* name) { return read_whole_file(result.folder / name); };
  const TextTable table(revision.beats_text);
  const RevisedRows beats(table, result, revision.beats);
  folder.write_by("beats.csv", [&](const OutputFolder::Append& append) {
    constexpr std::size_t kPartBytes = 1 << 18;
    std::string part = beats.header();
    for (std::int64_t beat = 0; beat < std::ssize(revision.beats.origin); ++beat) {
      beats.append(beat, part);
      if (part.size() >= kPartBytes) append(part), part.clear();
    }
    append(part);
  });
  put("abnormal.csv", revised_abnormal_csv(text_of_file("abnormal.csv"), beats, result, revision.beats));
  put("templates.csv", revised_templates_csv(text_of_file("templates.csv"), result, revision.beats));
  put("quality.csv", revised_quality_csv(result, revision.corrections));
  const RhythmBeats view = revision.beats.rhythm.view();
  const auto events = events_of(result.summary);
  put("episodes.csv", episodes_csv(view, revision.findings.episodes, result.start));
  put("hrv.csv", hrv_csv(view, revision.findings, hrv_recording(revision, events)));
  if (revision.config.output.nn) put("nn.csv", nn_csv(view, revision.findings.episodes));
  const std::int64_t before = result.beats.size();
  result.beats = revised_beat_table(result, revision.beats);
  result.templates = read_templates(folder.partial() / "templates.csv", result.beats.size());
  result.episodes = read_episodes(folder.partial() / "episodes.csv", result.length());
  for (StoredLead& lead : result.leads) lead.poor.clear();
  read_quality(folder.partial() / "quality.csv", result.leads);
  const auto noise = new_noise(revision.corrections, result.poor, result.length());
  if (result.several_leads()) {
    result.poor.insert(result.poor.end(), noise.begin(), noise.end());
    std::ranges::stable_sort(result.poor, {}, &PoorStretch::from);
  } else {
    result.poor = result.leads.front().poor;
  }
  revise_arrays(revision, before);
  revise_summary(revision, noise);
}

void write_other_files(const Revision& revision, OutputFolder& folder) {
  const StoredResult& result = revision.result;
  write_arrays(folder, revision);
  folder.write("summary.json", text_of(result.summary) + "\n");
  folder.write(kCorrectionsFile, corrections_text(revision.corrections));
  for (const char* name : {"config.json", "generated.csv"}) folder.write(name, read_whole_file(result.folder / name));
  for (const auto& entry : fs::directory_iterator(result.folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".vae")) folder.write(name, annotations_of(revision));
    if (name.ends_with("_mqc.json")) folder.write(name, multiqc_text(entry.path(), result.summary));
  }
  folder.write("report.html", report_page(result));
}

}  // namespace

void write_revised(Revision& revision, OutputFolder& folder) {
  revise_tables(revision, folder);
  write_other_files(revision, folder);
}

}  // namespace beatscan
