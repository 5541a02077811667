// The page that `run` makes of what it still has in memory, beside the page that `report` makes of the files.
#include <gtest/gtest.h>

#include <fstream>

#include "app/output/tables/parquet.h"
#include "app/report/report.h"
#include "tests/paths/paths.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

// Writes the first 100 s of a recording in as many columns as asked for, each smaller than the one before.
fs::path columns_of(const TemporaryFolder& folder, int columns) {
  std::ifstream from(source_folder() + "/data/mitdb_205.csv");
  std::ofstream to(folder.path() / (std::to_string(columns) + ".csv"));
  for (int c = 0; c < columns; ++c) to << (c ? "," : "") << "ECG " << c + 1;
  to << "\n";
  std::string line;
  std::getline(from, line);
  for (int i = 0; i < 36'000 && std::getline(from, line); ++i) {
    for (int c = 0; c < columns; ++c) to << (c ? "," : "") << std::stod(line) / (1 + c);
    to << "\n";
  }
  return folder.path() / (std::to_string(columns) + ".csv");
}

class ReportOfHeldResult : public testing::Test {
 protected:
  // Makes a result and returns its folder. Its page has to be the one that its files give.
  fs::path expect_same_page(Words words, const Words& more) {
    SCOPED_TRACE(testing::PrintToString(more));
    const fs::path out = folder_.path() / ("out " + std::to_string(++results_));
    words.insert(words.end(), {"--device", "cpu", "--out", out.string()});
    words.insert(words.end(), more.begin(), more.end());
    const auto made = run_program(words);
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_TRUE(report_page(out) == contents_of(out / "report.html"));
    return out;
  }
  fs::path expect_same_page_of_run(const fs::path& input, const Words& more) {
    return expect_same_page({"run", input.string(), "--set", "vae.epochs=1"}, more);
  }

  TemporaryFolder folder_;
  int results_ = 0;
};

TEST_F(ReportOfHeldResult, OfOneLeadIsThatOfTheFiles) {
  const fs::path input = columns_of(folder_, 1);
  const std::string truth = source_folder() + "/data/mitdb_205.truth.csv";
  expect_same_page_of_run(input, {"--rate", "360", "--truth", truth});
  expect_same_page_of_run(input, {"--rate", "360", "--config", "seed", "--lead", "0"});
  expect_same_page_of_run(input, {"--config", "seed", "--lead", "0"});  // without a rate
  expect_same_page_of_run(input, {"--rate", "360", "--set", "vae.latents=1"});
  expect_same_page_of_run(input, {"--rate", "360", "--save-arrays"});
}

TEST_F(ReportOfHeldResult, OfSeveralLeadsIsThatOfTheFiles) {
  const fs::path wide = columns_of(folder_, 16);
  expect_same_page_of_run(columns_of(folder_, 2), {"--rate", "360"});
  expect_same_page_of_run(wide, {"--rate", "360"});
  expect_same_page_of_run(wide, {"--rate", "360", "--lead", "ECG 7"});
}

TEST_F(ReportOfHeldResult, OfBeatsAsParquetIsThatOfTheFiles) {
  if (arrow_version().empty()) GTEST_SKIP() << "built without Arrow";
  const fs::path input = columns_of(folder_, 2);
  expect_same_page_of_run(input, {"--rate", "360", "--beats", "parquet"});
  expect_same_page_of_run(input, {"--rate", "360", "--beats", "parquet", "--lead", "ECG 1"});
  expect_same_page_of_run(input, {"--rate", "360", "--beats", "both"});
}

TEST_F(ReportOfHeldResult, OfAGivenModelIsThatOfTheFiles) {
  const fs::path input = columns_of(folder_, 1);
  const fs::path model = expect_same_page_of_run(input, {"--rate", "360"}) / "model.safetensors";
  expect_same_page({"score", input.string(), "--rate", "360", "--model", model.string()}, {});
}

// The recording is hardly longer than a strip.
TEST_F(ReportOfHeldResult, OfLittleIsThatOfTheFiles) {
  std::ifstream from(columns_of(folder_, 1));
  std::string line, text;
  for (int i = 0; i < 4'000 && std::getline(from, line); ++i) text += line + "\n";
  expect_same_page_of_run(folder_.write("short.csv", text), {"--rate", "360"});
}

}  // namespace
}  // namespace beatscan
