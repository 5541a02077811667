// The real program on what was silent once: a standstill in a real signal, and windows of 10, 30 and 60 s.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/paths/paths.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

using Cells = std::vector<std::string>;

constexpr int kDataRate = 360;

// Returns the samples of data/mitdb_205.csv.
const std::vector<double>& real_signal() {
  static const auto samples = [] {
    std::ifstream file(source_folder() + "/data/mitdb_205.csv");
    std::string line;
    std::getline(file, line);
    std::vector<double> values;
    while (std::getline(file, line)) values.push_back(std::stod(line));
    return values;
  }();
  return samples;
}

class CliShort : public testing::Test {
 protected:
  std::string written(const std::vector<double>& samples) const {
    std::ostringstream text;
    text << "mV\n";
    for (const double value : samples) text << value << "\n";
    return folder_.write("ecg.csv", text.str()).string();
  }
  // Runs with a short training, and returns the summary; fails where the status is not 0.
  nlohmann::json run(const std::vector<double>& samples, const std::string& out) {
    out_ = (folder_.path() / out).string();
    const auto result = run_program({"run", written(samples), "--rate", "360", "--out", out_, "--set", "vae.epochs=2",
                                     "--no-report", "--device", "cpu"});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? nlohmann::json::parse(contents_of(out_ + "/summary.json")) : nlohmann::json();
  }
  // Returns the rows of beats.csv, the first of them the names of the columns.
  std::vector<Cells> beats() const {
    std::istringstream file(contents_of(out_ + "/beats.csv"));
    std::vector<Cells> rows;
    for (std::string line; std::getline(file, line);) {
      std::istringstream cells(line);
      rows.emplace_back();
      for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
  }
  static std::size_t column(const std::vector<Cells>& rows, const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(rows.at(0), name) - rows.at(0).begin());
  }

  TemporaryFolder folder_;
  std::string out_;
};

bool any_warning(const nlohmann::json& summary, const std::string& words) {
  for (const auto& warning : summary["warnings"])
    if (warning.get<std::string>().find(words) != std::string::npos) return true;
  return false;
}

// Five minutes, of which eight seconds between two beats are a line: its RR stands in the table, and the beat behind it
// is abnormal.
TEST_F(CliShort, AStandstillOfEightSecondsIsNotSilent) {
  for (const double noise : {0.0, 0.002}) {
    const auto& signal = real_signal();
    std::vector<double> samples(signal.begin() + 500 * kDataRate, signal.begin() + 800 * kDataRate);
    const std::int64_t from = 100 * kDataRate + 339;  // 0.45 s behind a beat
    for (std::int64_t i = from; i < from + 8 * kDataRate; ++i) samples[i] = -0.34 + (i % 3 - 1) * noise;
    run(samples, noise > 0 ? "noise" : "line");
    const auto rows = beats();
    const auto rr = column(rows, "rr_prev_s"), anomalous = column(rows, "anomalous");
    int long_ones = 0;
    for (std::size_t i = 1; i < rows.size(); ++i)
      if (!rows[i][rr].empty() && std::stod(rows[i][rr]) > 8) {
        ++long_ones;
        EXPECT_EQ(rows[i][anomalous], "1") << noise;
      }
    EXPECT_EQ(long_ones, 1) << noise;
  }
}

TEST_F(CliShort, WindowsAreAnalysedAndSayWhatCannotBeTold) {
  for (const int seconds : {10, 30, 60})
    for (const int from : {0, 600, 1455}) {
      const auto& signal = real_signal();
      const auto summary = run({signal.begin() + from * kDataRate, signal.begin() + (from + seconds) * kDataRate},
                               std::to_string(seconds) + "-" + std::to_string(from));
      const int found = summary["beats"]["found"];
      EXPECT_GT(found, seconds) << from;
      EXPECT_EQ(any_warning(summary, "what is normal here"), seconds < 60) << seconds << " s from " << from;
    }
}

}  // namespace
}  // namespace beatscan
