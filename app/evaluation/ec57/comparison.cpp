#include "app/evaluation/ec57/comparison.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/common/json_text.h"
#include "app/evaluation/ec57/tables.h"
#include "app/evaluation/evaluate.h"
#include "app/evaluation/evaluate_batch.h"
#include "app/evaluation/result_clock.h"
#include "app/evaluation/truth.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"

namespace beatscan::ec57 {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// Returns the annotation file of a result.
fs::path annotation_path(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".vae") found.push_back(entry->path());
  if (error) fail(ErrorKind::input, folder.string(), "cannot be listed: " + error.message());
  if (found.size() == 1) return found.front();
  fail(ErrorKind::input, folder.string(),
       "has " + counted(std::ssize(found), "annotation file") +
           " RECORD.vae instead of one; run the analysis again, with a folder of its own");
}

void sort_by_time(std::vector<Annotation>& annotations) {
  std::ranges::stable_sort(annotations, {}, &Annotation::sample);
}

bool marks_rhythm(const Annotation& mark) { return mark.symbol == '+' || mark.symbol == '[' || mark.symbol == ']'; }

// Returns rhythms as annotations.
std::vector<Annotation> marks_of(const std::vector<LabelledStretch>& rhythms) {
  std::vector<Annotation> marks;
  for (const auto& [start, end, label] : rhythms) {
    marks.push_back({std::llround(start), '+', "(" + label});
    if (!is_fibrillation(label)) continue;
    marks.push_back({std::llround(start), '[', {}});
    marks.push_back({std::llround(end), ']', {}});
  }
  return marks;
}

std::vector<Annotation> reference_of(const EvaluateRequest& request, const ResultClock& clock) {
  std::vector<Annotation> reference;
  if (is_csv(request.truth))
    for (const auto& [sample, symbol] : read_truth(request.truth, clock.of_recording))
      reference.push_back({sample, symbol, {}});
  else
    reference = read_annotations(request.truth, clock.of_recording);
  if (!request.rhythms.empty()) {
    std::erase_if(reference, marks_rhythm);
    const auto rhythms = marks_of(read_rhythms(request.rhythms, clock.of_recording, clock.samples));
    reference.insert(reference.begin(), rhythms.begin(), rhythms.end());
  }
  sort_by_time(reference);
  return reference;
}

std::int64_t end_of(const ResultClock& clock, const std::vector<Annotation>& reference) {
  if (clock.samples && *clock.samples > 0 && *clock.samples < 0x1p53) return static_cast<std::int64_t>(*clock.samples);
  return reference.empty() ? 0 : reference.back().sample;
}

// Returns what `evaluate` warns of, too: a reference without beats, beyond the recording's end or of another recording.
std::vector<std::string> warnings_about(const std::vector<Annotation>& reference, const std::vector<Annotation>& test,
                                        const EvaluateRequest& request, const ResultClock& clock) {
  std::vector<ReferenceBeat> beats;
  std::vector<DetectedBeat> detected;
  for (const Annotation& mark : reference)
    if (class_of(mark.symbol)) beats.push_back({mark.sample, mark.symbol});
  for (const Annotation& mark : test)
    if (class_of(mark.symbol)) detected.push_back({.sample = mark.sample});
  auto warnings = warnings_of(beats, end_of(clock, reference), request.truth);
  const Evaluation evaluation = evaluate(beats, detected, clock.rate_hz, request.tolerance_ms);
  for (auto& warning : fit_warnings(beats, detected, evaluation.detection, clock.rate_hz, request.truth))
    warnings.push_back(std::move(warning));
  return warnings;
}

// The name of a result is that of its folder.
std::string name_of_result(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

Json json_of(const Row& row) {
  Json json = Json::object(), counts = Json::object();
  for (const Figure& figure : row.figures) json[figure.key] = or_null(figure.value);
  for (const Count& count : row.counts) counts[count.heading] = count.value;
  json["counts"] = std::move(counts);
  return json;
}

// The parts of a record in their order, as objects: see to_json of app/evaluation/beat_quality.cpp.
Json empty_parts() {
  const Json none = Json::object();
  return {{"beats", none},
          {"shutdown", none},
          {"runs", {{"V", none}, {"S", none}}},
          {"episodes", {{"AF", none}, {"VF", none}}},
          {"heart_rate", none}};
}

Json average_json(const Table& table) {
  Json json = Json::object();
  for (std::size_t i = 0; i < table.average.size(); ++i) {
    json[table.average[i].key] = or_null(table.average[i].value);
    json["records_with_" + table.average[i].key] = table.averaged[i];
  }
  return json;
}

void add_matrices(const Comparison& comparison, Json& json) {
  json["beats"]["matrix"] = matrix_json(comparison.beats);
  json["runs"]["V"]["matrices"] = matrix_json(comparison.v_runs);
  json["runs"]["S"]["matrices"] = matrix_json(comparison.s_runs);
}

}  // namespace

Comparison& Comparison::operator+=(const Comparison& other) {
  beats += other.beats;
  v_runs += other.v_runs;
  s_runs += other.s_runs;
  af += other.af;
  vf += other.vf;
  heart_rate += other.heart_rate;
  return *this;
}

Comparison compare(std::span<const Annotation> reference, std::span<const Annotation> test, const Period& period) {
  const MarkedBeats reference_beats = marked_beats(reference, period.match_window),
                    test_beats = marked_beats(test, period.match_window);
  return {
      compare_beats(reference_beats, test_beats, period),
      compare_runs(reference, test, period, 'V'),
      compare_runs(reference, test, period, 'S'),
      compare_atrial_fibrillation(reference, test, period),
      compare_ventricular_fibrillation(reference, test, period),
      compare_rates(reference_rates(reference, reference_beats, period.sample_rate_hz), measured_rates(test), period)};
}

Comparison compare_result(const EvaluateRequest& request) {
  check_tolerance(request.tolerance_ms);
  if (!request.lead.empty())
    throw Error(ErrorKind::usage, "--lead is for waves, which the standard does not compare; leave it out");
  const ResultClock clock = clock_of_result(request.folder, request.sample_rate_hz);
  auto test = read_annotations(annotation_path(request.folder), {clock.rate_hz});
  sort_by_time(test);
  const auto reference = reference_of(request, clock);
  const Period period = period_of(clock.rate_hz, end_of(clock, reference), request.tolerance_ms);
  Comparison comparison = compare(reference, test, period);
  comparison.warnings = warnings_about(reference, test, request, clock);
  if (period.end <= period.start)
    comparison.warnings.push_back(request.folder.string() +
                                  ": the recording ends within the first 5 minutes, which the standard leaves out: "
                                  "nothing of it is compared");
  return comparison;
}

std::map<std::string, Comparison> compare_results(const EvaluateRequest& request,
                                                  std::span<const std::string> excluded) {
  if (is_batch(request)) {
    std::map<std::string, Comparison> comparisons;
    for (const auto& [name, one] : requests_of_batch(request, excluded)) comparisons[name] = compare_result(one);
    return comparisons;
  }
  if (!excluded.empty())
    throw Error(ErrorKind::usage, "--exclude is for a batch, and this is one result; leave it out");
  return {{name_of_result(request.folder), compare_result(request)}};
}

Comparison gross_of(const std::map<std::string, Comparison>& comparisons) {
  Comparison gross;
  for (const auto& [name, comparison] : comparisons) gross += comparison;
  return gross;
}

nlohmann::ordered_json to_json(const std::map<std::string, Comparison>& comparisons, double match_window_ms) {
  Json records = Json::object(), gross = empty_parts(), average = empty_parts();
  for (const auto& [name, comparison] : comparisons) records[name] = empty_parts();
  for (const Table& table : tables_of(comparisons)) {
    const Json::json_pointer place("/" + table.key);
    for (const auto& [name, row] : table.records) records[name][place] = json_of(row);
    gross[place] = json_of(table.gross);
    average[place] = average_json(table);
  }
  for (const auto& [name, comparison] : comparisons) add_matrices(comparison, records[name]);
  add_matrices(gross_of(comparisons), gross);
  return {{"standard", "ANSI/AAMI EC57"},  {"learning_s", kLearning_s}, {"match_window_ms", match_window_ms},
          {"records", std::move(records)}, {"gross", std::move(gross)}, {"average", std::move(average)}};
}

}  // namespace beatscan::ec57
