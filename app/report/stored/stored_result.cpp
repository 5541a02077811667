#include "app/report/stored/stored_result.h"

#include <algorithm>
#include <utility>

#include "app/common/json_text.h"
#include "app/common/small_csv.h"
#include "app/common/whole_file.h"
#include "app/output/tables/table.h"
#include "app/output/tables/table_csv.h"
#include "app/report/stored/check_result.h"
#include "app/report/stored/damaged_file.h"
#include "kernels/runtime/error.h"
#include "stages/common/from_chars.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

Json read_json(const fs::path& path) {
  Json document = parse_json_if_any<Json>(read_whole_file(path));
  if (!document.is_object()) fail_damaged(path, "is not a JSON object");
  return document;
}

// Returns the generated beats, a row each.
std::vector<std::vector<float>> read_generated(const fs::path& path) {
  std::vector<std::vector<float>> rows;
  const std::string contents = read_whole_file(path);
  const char* const end = contents.data() + contents.size();
  const char* at = std::find(contents.data(), end, '\n');
  if (at < end) ++at;
  for (bool new_row = true; at < end;) {
    float value = 0;
    const auto [stop, error] = from_chars(at, end, value);
    if (error == std::errc::invalid_argument || stop == end || (*stop != ',' && *stop != '\n'))
      fail_at_line(path, std::ssize(rows) + 2, "a cell is not a number; run the analysis again");
    if (new_row) rows.emplace_back();
    rows.back().push_back(value);
    new_row = *stop == '\n';
    at = stop + 1;
  }
  for (const auto& row : rows)
    if (row.size() != rows[0].size()) fail_damaged(path, "has rows of different lengths");
  return rows;
}

void read_facts(StoredResult& result) {
  const Json& summary = result.summary;
  result.published = result.config.at("method").get<std::string>() == "published";
  if (const Json& hz = summary.at("sample_rate").at("hz"); hz.is_number()) result.rate_hz = hz.get<double>();
  result.samples = summary.at("input").at("samples").get<std::int64_t>();
  result.threshold = summary.at("anomaly").at("threshold").get<double>();
  if (const Json start = summary.at("input").value("start", Json()); start.is_object() && result.rate_hz)
    result.start = StartTime{.second_of_day = start.at("second_of_day").get<double>()};
  const Json& report = summary.at("report");
  result.bin_samples = report.at("bin_samples").get<std::int64_t>();
  if (const Json& pair = report.at("grid_latents"); pair.is_array() && pair.size() == 2)
    result.latents = LatentPair{pair[0].get<int>(), pair[1].get<int>()};
  // A result of one lead, or of a version that analysed one, does not tell which leads have a median beat.
  const bool several = report.contains("reference_leads");
  result.leads = read_leads(summary, several);
  if (several) {
    result.reference_leads = report.at("reference_leads").get<std::vector<std::int64_t>>();
    result.other_bin_samples = report.at("other_bin_samples").get<std::int64_t>();
  } else {
    result.reference_leads = {0};
  }
  check_facts(result);
}

BeatTable read_beats(const StoredResult& result, std::string* text) {
  std::string own = beats_text(result.folder);
  if (text) *text = std::move(own);
  return parse_beat_table(text ? *text : own, beats_file(result.folder), result.rate_hz.has_value(),
                          result.latents.value_or(LatentPair{}), std::ssize(result.leads));
}

BeatTable beats_in(const Table& table, const StoredResult& result) {
  return beat_table_of(table, result.rate_hz.has_value(), result.latents.value_or(LatentPair{}),
                       std::ssize(result.leads));
}

// Reads where each lead is poor, and where no lead is good.
void read_poor(StoredResult& result) {
  std::error_code ignored;
  if (!fs::exists(result.folder / "quality.csv", ignored)) return;
  read_quality(result.folder / "quality.csv", result.leads);
  const auto path = result.folder / "report/poor.npy";
  if (!result.several_leads()) {
    result.poor = result.leads.front().poor;
  } else {
    const auto stretches = read_npy_file<std::int64_t>(path, 2);
    if (stretches.shape[1] != 3) fail_damaged(path, "does not fit the other files");
    result.poor = poor_in_all_leads(path, stretches, result.samples, result.rate_hz.value_or(1));
  }
}

}  // namespace

std::string StoredResult::signal_unit(std::int64_t lead) const {
  if (several_leads()) return leads[lead].unit;
  const Json unit = summary.at("input").value("unit", Json());
  return unit.is_string() ? unit.get<std::string>() : "";
}

std::string StoredResult::title() const {
  const std::filesystem::path path = summary.at("input").at("path").get<std::string>();
  return path == "-" ? "standard input" : path.filename().string();
}

std::string StoredResult::day_time(double position) const { return start ? time_of_day(*start, position, false) : ""; }

std::span<const float> StoredResult::strip(std::int64_t lead, std::int64_t k) const {
  return arrays.strips.row(lead * arrays.strip_beats.shape[0] + k);
}

std::span<const float> StoredResult::finding_strip(std::int64_t lead, std::int64_t f) const {
  return arrays.finding_strips.row(lead * finding_strips() + f);
}

std::string StoredResult::why_no_model() const {
  const Json::json_pointer place("/model/why_none");
  const Json why = summary.contains(place) ? summary[place] : Json();
  return why.is_string() ? why.get<std::string>() : "";
}

std::int64_t StoredResult::dominant_template() const {
  const auto first = std::ranges::find(templates, 'N', &StoredTemplate::beat_class);
  return first == templates.end() ? 0 : first - templates.begin();
}

std::span<const float> StoredResult::template_mean(std::int64_t c, std::int64_t k) const {
  if (arrays.templates.values.empty()) return {};
  return arrays.templates.row(c * std::ssize(templates) + k);
}

std::span<const float> StoredResult::median(std::int64_t lead) const {
  if (!several_leads()) return arrays.reference.row(0);
  const auto found = std::ranges::find(reference_leads, lead);
  return found == reference_leads.end() ? std::span<const float>()
                                        : arrays.reference.row(2 * (found - reference_leads.begin()));
}

std::span<const float> StoredResult::row_median(std::int64_t k) const { return median(row_lead(k)); }

Envelope StoredResult::envelope(std::int64_t lead) const {
  if (lead == 0) return {arrays.bin_ranges.values, arrays.bin_ranges.shape[1]};
  const auto& others = arrays.other_bin_ranges;
  const std::int64_t size = others.shape[1] * others.shape[2];
  return {std::span(others.values).subspan((lead - 1) * size, size), others.shape[2]};
}

StoredResult read_stored_result(const fs::path& folder, std::optional<HeldResult> held, std::string* beats) {
  std::error_code ignored;
  const auto refuse = [&](const char* what) { fail(ErrorKind::input, folder.string(), what); };
  if (!fs::is_directory(folder, ignored)) refuse("is not a folder; give the folder of a result");
  if (fs::exists(folder / "cohort.csv", ignored))
    refuse("holds the results of a batch; give the folder of one of them");
  if (!fs::exists(folder / "summary.json", ignored))
    refuse("is no result (it has no summary.json); give a folder that `beatscan run` or `score` made");
  const Json summary = read_json(folder / "summary.json");
  if (text_at(summary, "kind") == "rhythm")
    refuse(
        "is a result of `beatscan rhythm`: beats without a signal, of which there is nothing to draw; read its "
        "episodes.csv and summary.json, or analyse the signal with `beatscan run`");
  if (!fs::exists(folder / "report", ignored))
    refuse("has no report/, from which the page is made; run the analysis again with this version");
  StoredResult result{folder, summary, read_json(folder / "config.json")};
  check_keys(result);
  check_lists_of(result);
  try {
    read_facts(result);
  } catch (const Json::exception& error) {
    fail_damaged(folder / "summary.json", std::string("is not as expected (") + error.what() + ")");
  }
  result.beats = held ? beats_in(held->beats, result) : read_beats(result, beats);
  read_poor(result);
  result.templates = read_templates(folder / "templates.csv", result.beats.size());
  if (result.rate_hz) result.episodes = read_episodes(folder / "episodes.csv", result.length());
  result.generated = read_generated(folder / "generated.csv");
  result.arrays = held ? std::move(held->arrays) : read_arrays(folder / "report", result.several_leads());
  check_arrays(result);
  check_beats(result);
  return result;
}

}  // namespace beatscan
