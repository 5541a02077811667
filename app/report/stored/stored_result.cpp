#include "app/report/stored/stored_result.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "app/files/small_csv.h"
#include "app/files/whole_file.h"
#include "app/report/stored/damaged_file.h"
#include "app/result/csv_files.h"
#include "app/text/json_text.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

Json read_json(const fs::path& path) {
  Json document = parse_json_if_any<Json>(read_whole_file(path));
  if (!document.is_object()) fail_damaged(path, "is no JSON object");
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
    const auto [stop, error] = std::from_chars(at, end, value);
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

std::vector<PoorStretch> read_quality(const fs::path& path) {
  std::vector<PoorStretch> stretches;
  constexpr std::string_view columns[] = {"from_s", "to_s", "quality"};
  for_each_row(path, columns, [&](auto cells, std::int64_t line) {
    const auto from = parse_double(cells[0]), to = parse_double(cells[1]);
    if (!from || !to) fail_at_line(path, line, "from_s and to_s must be numbers; run the analysis again");
    for (const Quality kind : {Quality::flat, Quality::clipped, Quality::noisy, Quality::missing})
      if (cells[2] == name_of(kind)) stretches.push_back({*from, *to, kind});
  });
  return stretches;
}

ReportArrays read_arrays(const fs::path& folder) {
  return {read_npy_file<float>(folder / "envelope.npy", 2), read_npy_file<std::int64_t>(folder / "strip_beats.npy", 1),
          read_npy_file<float>(folder / "strips.npy", 2),   read_npy_file<float>(folder / "rows.npy", 2),
          read_npy_file<float>(folder / "decoded.npy", 2),  read_npy_file<float>(folder / "reference.npy", 2),
          read_npy_file<float>(folder / "grid.npy", 2)};
}

void check_beats(const StoredResult& result) {
  const auto& samples = result.beats.sample;
  const auto within = [&](auto sample) { return sample >= 0 && sample < static_cast<double>(result.samples); };
  if (!std::ranges::all_of(samples, within) || !std::ranges::is_sorted(samples))
    fail_damaged(result.folder / "beats.csv", "'sample' is not in order, or not within the recording");
}

// Checks that the arrays fit each other, so that the sections need not.
void check_arrays(const StoredResult& result) {
  const auto& arrays = result.arrays;
  const auto folder = result.folder / "report";
  const auto beats = arrays.strip_beats.shape[0];
  const auto expect = [&](bool fits, const char* name) {
    if (!fits) fail_damaged(folder / name, "does not fit the other files");
  };
  expect(result.bin_samples >= 1 && arrays.bin_ranges.shape[1] == 2 &&
             arrays.bin_ranges.shape[0] == (result.samples + result.bin_samples - 1) / result.bin_samples,
         "envelope.npy");
  expect(std::ranges::all_of(arrays.strip_beats.values,
                             [&](std::int64_t beat) { return beat >= 0 && beat < result.beats.size(); }),
         "strip_beats.npy");
  const auto points = arrays.reference.shape[1];
  expect(arrays.reference.shape[0] == 2 && points > 1, "reference.npy");
  expect(arrays.strips.shape[0] == beats && arrays.strips.shape[1] > 1, "strips.npy");
  expect(arrays.rows.shape == std::vector{beats, points}, "rows.npy");
  expect(arrays.decoded.shape == std::vector{beats, points}, "decoded.npy");
  expect(arrays.grid.shape[1] == points, "grid.npy");
}

// Checks the numbers that figures are laid out by.
void check_facts(const StoredResult& result) {
  constexpr double kHighest_hz = 1e6, kLongestRow_s = 60;
  const auto expect = [&](bool fits, const char* key) {
    if (!fits) fail_damaged(result.folder / "summary.json", std::string("'") + key + "' is out of range");
  };
  expect(!result.rate_hz || (*result.rate_hz > 0 && *result.rate_hz <= kHighest_hz), "sample_rate.hz");
  expect(result.samples > 0, "input.samples");
  if (result.samples > std::numeric_limits<std::int32_t>::max())
    fail(ErrorKind::input, (result.folder / "summary.json").string(),
         "the recording has more than 2^31 samples, which a page does not hold");
  const Json& report = result.summary.at("report");
  for (const char* key : {"row_before_s", "row_after_s"})
    if (const Json value = report.value(key, Json()); value.is_number())
      expect(value.get<double>() >= 0 && value.get<double>() <= kLongestRow_s, key);
}

void read_facts(StoredResult& result) {
  const Json& summary = result.summary;
  result.published = result.config.at("method") == "published";
  if (const Json& hz = summary.at("sample_rate").at("hz"); hz.is_number()) result.rate_hz = hz.get<double>();
  result.samples = summary.at("input").at("samples").get<std::int64_t>();
  result.threshold = summary.at("anomaly").at("threshold").get<double>();
  const Json& report = summary.at("report");
  result.bin_samples = report.at("bin_samples").get<std::int64_t>();
  if (const Json& pair = report.at("grid_latents"); pair.is_array() && pair.size() == 2)
    result.latents = LatentPair{pair[0].get<int>(), pair[1].get<int>()};
  check_facts(result);
}

}  // namespace

StoredResult read_stored_result(const fs::path& folder) {
  std::error_code ignored;
  const auto refuse = [&](const char* what) { fail(ErrorKind::input, folder.string(), what); };
  if (!fs::is_directory(folder, ignored)) refuse("is no folder; give the folder of a result");
  if (!fs::exists(folder / "summary.json", ignored))
    refuse("is no result (it has no summary.json); give a folder that `beatscan run` or `score` made");
  if (!fs::exists(folder / "report", ignored))
    refuse("has no report/, from which the page is made; run the analysis again with this version");
  StoredResult result{folder, read_json(folder / "summary.json"), read_json(folder / "config.json")};
  try {
    read_facts(result);
  } catch (const Json::exception& error) {
    fail_damaged(folder / "summary.json", std::string("is not as expected (") + error.what() + ")");
  }
  result.beats =
      read_beat_table(folder / "beats.csv", result.rate_hz.has_value(), result.latents.value_or(LatentPair{}));
  if (fs::exists(folder / "quality.csv", ignored)) result.poor = read_quality(folder / "quality.csv");
  result.generated = read_generated(folder / "generated.csv");
  result.arrays = read_arrays(folder / "report");
  check_arrays(result);
  check_beats(result);
  return result;
}

}  // namespace beatscan
