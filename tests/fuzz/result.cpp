#include <algorithm>

#include "app/files/whole_file.h"
#include "app/report/report.h"
#include "app/result/csv_files.h"
#include "app/result/output_folder.h"
#include "app/result/report_data.h"
#include "tests/fuzz/support.h"
#include "tests/paths/paths.h"
#include "tests/support/small_result.h"

namespace beatscan::fuzz {
namespace {

// Writes a small but whole result, from which report_page makes a page.
void write_small_result(const std::filesystem::path& target) {
  RunResult result = ranked_result();
  result.report = {.bin_samples = 64,
                   .bin_ranges = std::vector<float>(7 * 2, 0.5f),
                   .beats = {2, 0},
                   .strip_samples = 8,
                   .strips = std::vector<float>(2 * 8),
                   .rows = {1, 2, 3, 4, 4, 3, 2, 1},
                   .decoded = {1, 2, 3, 3, 3, 3, 2, 1},
                   .reference = {1, 2, 2, 1, 0.5f, 0.5f, 0.5f, 0.5f},
                   .grid_latents = {0, 1},
                   .grid_values = {{-1, 1}, {-1, 1}},
                   .grid = std::vector<float>(4 * 4, 1),
                   .row_before_s = 0.25,
                   .row_after_s = 0.5};
  Config config;
  config.ingest.sample_rate_hz = 100;
  OutputFolder folder(target, true);
  folder.write("beats.csv", beats_csv(result));
  folder.write("generated.csv", generated_csv(result));
  folder.write("quality.csv", quality_csv(result));
  folder.write("config.json", beatscan::text_of(to_json(config)));
  write_report_data(folder, result.report, result.beats.row_points);
  // The summary is a stored one, because summary_json() asks LibTorch for its version, and fuzz programs have no
  // LibTorch.
  folder.write("summary.json", read_whole_file(source_folder() + "/tests/fuzz/small_summary.json"));
  folder.commit();
}

constexpr std::string_view kFiles[] = {
    "beats.csv",           "summary.json",           "config.json",       "generated.csv",   "quality.csv",
    "report/envelope.npy", "report/strip_beats.npy", "report/strips.npy", "report/rows.npy", "report/decoded.npy",
    "report/grid.npy",     "report/reference.npy"};

}  // namespace

void result(Bytes bytes) {
  static const std::filesystem::path target = [] {
    write_small_result(folder() / "small");
    require(!report_page(folder() / "small").empty(), "no page of the result as it is");
    return folder() / "small";
  }();
  const auto parts = split(text_of(bytes), '\n', 2);
  if (std::ranges::find(kFiles, parts[0]) == std::end(kFiles)) return;
  const auto file = target / parts[0];
  std::filesystem::rename(file, folder() / "kept");
  write("small/" + std::string(parts[0]), parts[1]);
  std::exception_ptr find;
  try {
    refusal_of([] { report_page(target); }, {ErrorKind::input});
  } catch (...) {
    find = std::current_exception();
  }
  std::filesystem::rename(folder() / "kept", file);
  if (find) std::rethrow_exception(find);
}

}  // namespace beatscan::fuzz
