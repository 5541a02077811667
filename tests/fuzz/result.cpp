#include <algorithm>
#include <exception>

#include "app/common/whole_file.h"
#include "app/config/config.h"
#include "app/output/csv_files.h"
#include "app/output/output_folder.h"
#include "app/output/report_data.h"
#include "app/report/report.h"
#include "tests/fuzz/support.h"
#include "tests/paths/paths.h"
#include "tests/support/beat_tables.h"
#include "tests/support/small_result.h"

namespace beatscan::fuzz {
namespace {

// Makes of the arrays of one lead those of two.
void add_lead(RunResult& result) {
  ReportData& report = result.report;
  report.leads = 2;
  report.other_bin_samples = 1;  // so that a bin has one value
  report.other_bin_ranges = std::vector<float>(400, 0.25f);
  for (auto* values : {&report.strips, &report.reference}) {
    const auto one = *values;
    values->insert(values->end(), one.begin(), one.end());
  }
  report.row_leads = {0, 1};
  report.reference_leads = {0, 1};
  report.poor = {0, 100, static_cast<std::int64_t>(Quality::flat)};
  result.input.leads = {{.name = "II"}, {.name = "a, \"b\""}};
  result.beats.lead_quality = {*result.beats.quality, *result.beats.quality};
  result.scored.ranking->lead = {0, 1};
}

// Returns the summary of the small result. It is a stored one, so that finds in it stay what they are when
// summary_json() changes.
std::string small_summary(const RunResult& result) {
  auto summary = Json::parse(read_whole_file(source_folder() + "/tests/fuzz/small_summary.json"));
  for (const auto& lead : result.input.leads)
    summary["input"]["leads"].push_back({{"name", lead.name}, {"unit", nullptr}, {"analysable_share", 0.5}});
  if (result.report.leads > 1) summary["report"] = report_json(result.report);
  return beatscan::text_of(summary);
}

// Writes a small but whole result of one lead or of two, from which report_page makes a page.
void write_small_result(const std::filesystem::path& target, int leads) {
  RunResult result = ranked_result();
  result.report = {.bin_samples = 64,
                   .bin_ranges = std::vector<float>(7 * 2, 0.5f),
                   .beats = {2, 0},
                   .strip_samples = 8,
                   .strips = std::vector<float>(2 * 8),
                   .rows = {1, 2, 3, 4, 4, 3, 2, 1},
                   .decoded = {1, 2, 3, 3, 3, 3, 2, 1},
                   .reference = {1, 2, 2, 1, 0.5f, 0.5f, 0.5f, 0.5f},
                   .non_conducted_p = {220, 230},
                   .grid_latents = {0, 1},
                   .grid_values = {{-1, 1}, {-1, 1}},
                   .grid = std::vector<float>(4 * 4, 1),
                   .row_before_s = 0.25,
                   .row_after_s = 0.5};
  result.scored.ranking->lead = {0, 0};
  if (leads == 2) add_lead(result);
  Config config;
  config.ingest.sample_rate_hz = 100;
  OutputFolder folder(target, true);
  folder.write("beats.csv", beats_csv(result));
  folder.write("generated.csv", generated_csv(result));
  folder.write("quality.csv", quality_csv(result));
  folder.write("config.json", beatscan::text_of(to_json(config)));
  write_report_data(folder, result.report, result.beats.row_points);
  folder.write("summary.json", small_summary(result));
  folder.commit();
}

constexpr std::string_view kFiles[] = {"beats.csv",
                                       "summary.json",
                                       "config.json",
                                       "generated.csv",
                                       "quality.csv",
                                       "report/envelope.npy",
                                       "report/strip_beats.npy",
                                       "report/strips.npy",
                                       "report/rows.npy",
                                       "report/decoded.npy",
                                       "report/grid.npy",
                                       "report/reference.npy",
                                       "report/non_conducted_p.npy"};
constexpr std::string_view kLeadsFiles[] = {"report/other_envelopes.npy", "report/row_leads.npy", "report/poor.npy"};

// Reads the result with a file that holds something else for the while.
void read_with(const std::string& name, std::string_view path, std::string_view contents) {
  const auto target = folder() / name, file = target / path;
  std::filesystem::rename(file, folder() / "kept");
  write(name + "/" + std::string(path), contents);
  std::exception_ptr find;
  try {
    refusal_of([&] { report_page(target); }, {ErrorKind::input});
  } catch (...) {
    find = std::current_exception();
  }
  std::filesystem::rename(folder() / "kept", file);
  if (find) std::rethrow_exception(find);
}

}  // namespace

void result(Bytes bytes) {
  static const bool written = [] {
    for (const auto& [name, leads] : {std::pair{"small", 1}, {"leads", 2}}) {
      write_small_result(folder() / name, leads);
      require(!report_page(folder() / name).empty(), "no page of the result as it is");
    }
    return true;
  }();
  const auto parts = split(text_of(bytes), '\n', 2);
  const bool known = std::ranges::find(kFiles, parts[0]) != std::end(kFiles);
  if (written && known) read_with("small", parts[0], parts[1]);
  if (known || std::ranges::find(kLeadsFiles, parts[0]) != std::end(kLeadsFiles))
    read_with("leads", parts[0], parts[1]);
}

}  // namespace beatscan::fuzz
