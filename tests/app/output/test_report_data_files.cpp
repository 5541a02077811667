// Checks the files of the report arrays for a result of one lead.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/output/output_folder.h"
#include "app/output/report_data.h"
#include "tests/support/read_npy.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

TEST(WriteReportData, WritesAllArrays) {
  const TemporaryFolder folder;
  const ReportData report{.bin_samples = 4,
                          .bin_ranges = {-1, 1, 0, 2},
                          .beats = {7, 3},
                          .strip_samples = 3,
                          .strips = {1, 2, 3, 4, 5, 6},
                          .rows = {1, 2, 3, 4},
                          .decoded = {5, 6, 7, 8},
                          .reference = {9, 10, 11, 12},
                          .non_conducted_p = {5, 9, 20, 31},
                          .grid_latents = {1, 0},
                          .grid_values = {{-2, 2}, {-3, 3}},
                          .grid = {1, 2, 3, 4, 5, 6, 7, 8},
                          .row_before_s = 0.25};
  OutputFolder output(folder.path() / "o", false);
  write_report_data(output, report, 2);
  output.commit();
  const auto expect = [&](const char* name, const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    const auto array = read_npy<float>(folder.path() / "o/report" / (std::string(name) + ".npy"));
    EXPECT_EQ(array.shape, shape) << name;
    EXPECT_EQ(array.values, values) << name;
  };
  expect("envelope", {2, 2}, report.bin_ranges);
  expect("strips", {2, 3}, report.strips);
  expect("rows", {2, 2}, report.rows);
  expect("decoded", {2, 2}, report.decoded);
  expect("reference", {2, 2}, report.reference);
  expect("grid", {4, 2}, report.grid);
  EXPECT_EQ(read_npy<std::int64_t>(folder.path() / "o/report/strip_beats.npy").values, report.beats);
  const auto waves = read_npy<std::int64_t>(folder.path() / "o/report/non_conducted_p.npy");
  EXPECT_EQ(waves.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(waves.values, report.non_conducted_p);
  EXPECT_EQ(report_json(report), (Json{{"bin_samples", 4},
                                       {"strip_samples", 3},
                                       {"row_before_s", 0.25},
                                       {"row_after_s", nullptr},
                                       {"grid_latents", {1, 0}},
                                       {"grid_values", {{-2.0, 2.0}, {-3.0, 3.0}}}}));
}

}  // namespace
}  // namespace beatscan
