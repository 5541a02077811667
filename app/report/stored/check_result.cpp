#include "app/report/stored/check_result.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/common/json.h"
#include "app/output/report_data.h"
#include "app/output/tables/table_csv.h"
#include "app/report/stored/damaged_file.h"
#include "app/report/stored/stored_result.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/io/recording/leads.h"

namespace beatscan {
namespace {

// Returns the number of bins that hold the samples.
std::int64_t bins_of(std::int64_t samples, std::int64_t bin_samples) { return (samples - 1) / bin_samples + 1; }

// Says whether an envelope has that many bins. Where a bin is a sample, an older result has two equal values of it.
bool is_envelope(std::span<const std::int64_t> shape, std::int64_t bins, std::int64_t bin_samples) {
  return shape[0] == bins && (shape[1] == 2 || shape[1] == values_of_bin(bin_samples));
}

using Expect = std::function<void(bool fits, const char* name)>;

// Checks the arrays that only several leads have.
void check_leads(const StoredResult& result, const Expect& expect) {
  const auto& arrays = result.arrays;
  const auto leads = std::ssize(result.leads), cut = std::ssize(result.reference_leads);
  const auto beats = arrays.strip_beats.shape[0], points = arrays.reference.shape[2];
  expect(result.other_bin_samples >= 1 && arrays.other_bin_ranges.shape[0] == leads - 1 &&
             is_envelope(std::span(arrays.other_bin_ranges.shape).subspan(1),
                         bins_of(result.samples, result.other_bin_samples), result.other_bin_samples),
         "other_envelopes.npy");
  expect(cut >= 1 && arrays.reference.shape == std::vector<std::int64_t>{cut, 2, points} && points > 1,
         "reference.npy");
  expect(arrays.strips.shape == std::vector<std::int64_t>{leads, beats, arrays.strips.shape[2]} &&
             arrays.strips.shape[2] > 1,
         "strips.npy");
  expect(
      arrays.row_leads.shape[0] == beats &&
          std::ranges::all_of(arrays.row_leads.values,
                              [&](std::int64_t lead) { return std::ranges::count(result.reference_leads, lead) == 1; }),
      "row_leads.npy");
}

// Checks the arrays that only a result with classes of beats has.
void check_findings(const StoredResult& result, const Expect& expect) {
  const auto& arrays = result.arrays;
  if (!arrays.templates.values.empty())
    expect(arrays.templates.shape == std::vector<std::int64_t>{std::ssize(result.reference_leads),
                                                               std::ssize(result.templates),
                                                               arrays.reference.shape.back()},
           "templates.npy");
  const auto& places = arrays.finding_places.values;
  if (places.empty()) return;
  expect(std::ranges::is_sorted(places) && places.front() >= 0 && places.back() < result.samples, "finding_places.npy");
  expect(arrays.finding_strips.shape ==
             std::vector<std::int64_t>{std::ssize(result.leads), std::ssize(places), arrays.strips.shape.back()},
         "finding_strips.npy");
}

// Checks the P waves without a QRS complex.
void check_non_conducted(const StoredResult& result, const Expect& expect) {
  const auto& waves = result.arrays.non_conducted_p;
  if (waves.values.empty()) return;
  bool in_order = waves.shape[1] == 2;
  std::int64_t last = 0;
  for (std::int64_t i = 0; in_order && i < waves.shape[0]; ++i) {
    const auto wave = waves.row(i);
    in_order = wave[0] >= last && wave[1] >= wave[0] && wave[1] <= result.samples;
    last = wave[0];
  }
  expect(in_order, "non_conducted_p.npy");
}

// A part of a document, and what it must be.
struct Needed {
  const char* key;
  const char* what;
  bool (*fits)(const Json&);
};

constexpr auto is_object = [](const Json& value) { return value.is_object(); };
constexpr auto is_count = [](const Json& value) { return value.is_number_integer(); };
constexpr auto is_number = [](const Json& value) { return value.is_number(); };
constexpr auto is_text = [](const Json& value) { return value.is_string(); };

constexpr Needed kOfSummary[] = {{"input", "an object", is_object},
                                 {"input.path", "a text", is_text},
                                 {"input.samples", "a whole number", is_count},
                                 {"sample_rate", "an object", is_object},
                                 {"beats", "an object", is_object},
                                 {"beats.found", "a whole number", is_count},
                                 {"anomaly", "an object", is_object},
                                 {"anomaly.count", "a whole number", is_count},
                                 {"anomaly.threshold", "a number", is_number},
                                 {"model", "an object", is_object},
                                 {"run", "an object", is_object},
                                 {"report", "an object", is_object},
                                 {"report.bin_samples", "a whole number", is_count}};
constexpr Needed kOfConfig[] = {{"method", "a text", is_text}};

void check_document(const std::filesystem::path& path, const Json& document, std::span<const Needed> list) {
  for (const Needed& needed : list) {
    std::string place = std::string("/") + needed.key;
    std::ranges::replace(place, '.', '/');
    const Json::json_pointer pointer(place);
    if (!document.contains(pointer)) fail_damaged(path, std::string("lacks '") + needed.key + "'");
    if (!needed.fits(document.at(pointer)))
      fail_damaged(path, std::string("'") + needed.key + "' is not " + needed.what);
  }
}

}  // namespace

void check_keys(const StoredResult& result) {
  check_document(result.folder / "summary.json", result.summary, kOfSummary);
  check_document(result.folder / "config.json", result.config, kOfConfig);
}

void check_lists_of(const StoredResult& result) {
  const auto expect = [&](const char* part, const char* name) {
    std::error_code ignored;
    if (result.summary.value(part, Json()).is_object() && !std::filesystem::exists(result.folder / name, ignored))
      fail_damaged(result.folder / name, std::string("is missing, and summary.json has '") + part + "'");
  };
  expect("quality", "quality.csv");
  expect("findings", "templates.csv");
  expect("findings", "episodes.csv");
}

void check_facts(const StoredResult& result) {
  constexpr double kHighest_hz = 1e6, kLongestRow_s = 60;
  const auto expect = [&](bool fits, const char* key) {
    if (!fits) fail_damaged(result.folder / "summary.json", std::string("'") + key + "' is out of range");
  };
  expect(!result.rate_hz || (*result.rate_hz > 0 && *result.rate_hz <= kHighest_hz), "sample_rate.hz");
  expect(!result.start || (result.start->second_of_day >= 0 && result.start->second_of_day < 86400), "input.start");
  expect(result.samples > 0, "input.samples");
  const auto leads = std::ssize(result.leads);
  expect(leads <= static_cast<std::int64_t>(kMostLeads), "input.leads");
  expect(!result.reference_leads.empty() &&
             std::ranges::all_of(result.reference_leads, [&](auto lead) { return lead >= 0 && lead < leads; }),
         "reference_leads");
  if (result.samples > std::numeric_limits<std::int32_t>::max())
    fail(ErrorKind::input, (result.folder / "summary.json").string(),
         "the recording has more than 2^31 samples, which a page does not hold");
  const Json& report = result.summary.at("report");
  for (const char* key : {"row_before_s", "row_after_s"})
    if (const Json value = report.value(key, Json()); value.is_number())
      expect(value.get<double>() >= 0 && value.get<double>() <= kLongestRow_s, key);
}

void check_arrays(const StoredResult& result) {
  const auto& arrays = result.arrays;
  const auto folder = result.folder / "report";
  const auto beats = arrays.strip_beats.shape[0];
  const Expect expect = [&](bool fits, const char* name) {
    if (!fits) fail_damaged(folder / name, "does not fit the other files");
  };
  expect(result.bin_samples >= 1 &&
             is_envelope(arrays.bin_ranges.shape, bins_of(result.samples, result.bin_samples), result.bin_samples),
         "envelope.npy");
  expect(std::ranges::all_of(arrays.strip_beats.values,
                             [&](std::int64_t beat) { return beat >= 0 && beat < result.beats.size(); }),
         "strip_beats.npy");
  if (result.several_leads()) {
    check_leads(result, expect);
  } else {
    expect(arrays.reference.shape[0] == 2 && arrays.reference.shape[1] > 1, "reference.npy");
    expect(arrays.strips.shape[0] == beats && arrays.strips.shape[1] > 1, "strips.npy");
  }
  const auto points = arrays.reference.shape.back();
  expect(arrays.rows.shape == std::vector{beats, points}, "rows.npy");
  expect(arrays.decoded.shape == std::vector{beats, points}, "decoded.npy");
  expect(arrays.grid.shape[1] == points, "grid.npy");
  check_findings(result, expect);
  check_non_conducted(result, expect);
}

void check_beats(const StoredResult& result) {
  const Json found = result.summary.value(Json::json_pointer("/beats/found"), Json());
  if (found.is_number_integer() && found.get<std::int64_t>() != result.beats.size())
    fail_damaged(beats_file(result.folder),
                 "has " + counted(result.beats.size(), "beat") + ", and summary.json has " + found.dump());
  const auto& samples = result.beats.sample;
  const auto within = [&](auto sample) { return sample >= 0 && sample < static_cast<double>(result.samples); };
  if (!std::ranges::all_of(samples, within) || !std::ranges::is_sorted(samples))
    fail_damaged(beats_file(result.folder), "'sample' is not in order, or not within the recording");
}

}  // namespace beatscan
