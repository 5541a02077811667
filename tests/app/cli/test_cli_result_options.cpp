// The real program: options that change what a result has. --hrv-window, --nn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/common/json.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/stages/io/edf/edf_bytes.h"
#include "tests/support/result_files.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

std::vector<std::string> rows_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class CliResultOptions : public testing::Test {
 protected:
  static constexpr int kRate = 250, kSamples = 30'000;  // two minutes

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string text(const std::string& name) const { return contents_of(path(name)); }
  std::string recording() const {
    if (!fs::exists(path("ecg.csv"))) generate(Cpu(1), {.samples = kSamples, .abnormal_share = 0.1}, path("ecg.csv"));
    return path("ecg.csv");
  }
  ProgramResult run(const std::string& out, Arguments more) const {
    Arguments arguments = {"run", "--out", path(out), "--device", "cpu", "--model", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  TemporaryFolder folder_;
};

TEST_F(CliResultOptions, HeartRateVariabilityInWindows) {
  const auto result = run("o", {recording(), "--rate", "250", "--hrv-window", "0.5min", "--nn"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto rows = rows_in(text("o/hrv.csv"));
  ASSERT_EQ(rows.size(), 1U + 3 + 4);
  EXPECT_TRUE(rows[4].starts_with("0.000000,30.000000,window,")) << rows[4];
  const Json summary = Json::parse(text("o/summary.json"));
  EXPECT_EQ(rows_in(text("o/nn.csv")).size(), 1U + summary["findings"]["hrv"]["intervals"].get<std::size_t>());
  EXPECT_EQ(Json::parse(text("o/config.json"))["hrv"]["window"], 30.0);
  const auto plain = run("p", {recording(), "--rate", "250"});
  ASSERT_EQ(plain.status, 0) << plain.err;
  EXPECT_EQ(rows_in(text("p/hrv.csv")).size(), 4U);
  EXPECT_EQ(rows_in(text("p/hrv.csv"))[1], rows[1]);
  EXPECT_FALSE(fs::exists(path("p/nn.csv")));
  EXPECT_EQ(text("p/beats.csv"), text("o/beats.csv"));
}

}  // namespace
}  // namespace beatscan
