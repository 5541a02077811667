// The real program on inputs that once gave no output: asystole in a real signal, and windows of 10, 30 and 60 s.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
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
  // Runs with a short training, and returns the summary; fails if the status is not 0.
  nlohmann::json run(const std::vector<double>& samples, const std::string& out) {
    return run_file(written(samples), out);
  }
  nlohmann::json run_file(const std::string& file, const std::string& out) {
    out_ = (folder_.path() / out).string();
    const auto result = run_program(
        {"run", file, "--rate", "360", "--out", out_, "--set", "vae.epochs=2", "--no-report", "--device", "cpu"});
    EXPECT_EQ(result.status, 0) << result.err;
    out_text_ = result.out;
    return result.status == 0 ? nlohmann::json::parse(contents_of(out_ + "/summary.json")) : nlohmann::json();
  }
  // Returns the rows of beats.csv; the first one is the header.
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
  std::string out_, out_text_;
};

// In five minutes, eight seconds between two beats are a straight line: the RR interval is in the table, and the beat
// after it is abnormal.
TEST_F(CliShort, AsystoleOfEightSecondsIsNotSilent) {
  for (const double noise : {0.0, 0.002}) {
    const auto& signal = real_signal();
    std::vector<double> samples(signal.begin() + 500 * kDataRate, signal.begin() + 800 * kDataRate);
    const std::int64_t from = 100 * kDataRate + 339;  // 0.45 s after a beat
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

// Eight seconds are a straight line in the first of two leads, while the other is off: at the end of its range, or
// missing.
TEST_F(CliShort, AsystoleIsReportedDespiteALeadOff) {
  const auto& signal = real_signal();
  const std::vector<double> whole(signal.begin() + 500 * kDataRate, signal.begin() + 800 * kDataRate);
  const std::int64_t from = 100 * kDataRate + 339, to = from + 8 * kDataRate;
  for (const std::string off : {"5.12", ""}) {
    std::ostringstream text;
    text << "MLII,V1\n";
    for (std::int64_t i = 0; i < std::ssize(whole); ++i) {
      const bool still = i >= from && i < to;
      text << (still ? -0.34 + static_cast<double>(i % 3 - 1) * 0.002 : whole[i]) << ",";
      still ? text << off << "\n" : text << -0.5 * whole[i] << "\n";
    }
    const auto summary = run_file(folder_.write("ecg.csv", text.str()).string(), off.empty() ? "missing" : "rail");
    EXPECT_GT(summary["findings"]["longest_pause_s"], 8) << off;
    EXPECT_EQ(summary["findings"]["episodes"]["ASYS"]["count"], 1) << off;
  }
}

// The 30 s from 1455 s on contain a fast tachycardia, and thus enough beats to train a model.
TEST_F(CliShort, WindowsAreAnalysedAndReportWhatIsUndetermined) {
  for (const int seconds : {10, 30, 60})
    for (const int from : {0, 600, 1455}) {
      const auto& signal = real_signal();
      const auto summary = run({signal.begin() + from * kDataRate, signal.begin() + (from + seconds) * kDataRate},
                               std::to_string(seconds) + "-" + std::to_string(from));
      const int found = summary["beats"]["found"];
      EXPECT_GT(found, seconds) << from;
      EXPECT_EQ(summary["model"].contains("why_none"), found < 50)
          << found << " beats in " << seconds << " s from " << from;
    }
}

// Ten seconds with a run of V beats, which outnumber the others: no model is trained, which is reported, and the V
// beats are abnormal by their class.
TEST_F(CliShort, FewBeatsAreScoredByTheirClassesToo) {
  const auto& signal = real_signal();
  const std::vector<double> samples(signal.begin() + 1455 * kDataRate, signal.begin() + 1465 * kDataRate);
  const auto summary = run(samples, "few");
  EXPECT_NE(summary["model"]["why_none"].get<std::string>().find("fewer than vae.least_beats (50)"), std::string::npos);
  EXPECT_TRUE(summary["model"]["diagnosis"].is_null());
  EXPECT_FALSE(std::filesystem::exists(out_ + "/model.safetensors"));
  EXPECT_NE(out_text_.find("model      none: "), std::string::npos) << out_text_;
  const auto rows = beats();
  const auto beat_class = column(rows, "beat_class"), anomalous = column(rows, "anomalous"), kl = column(rows, "kl");
  int ventricular = 0, abnormal = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][kl], "");
    if (rows[i][beat_class] != "V") continue;
    ++ventricular;
    abnormal += rows[i][anomalous] == "1";
  }
  EXPECT_GT(ventricular, 5);
  EXPECT_GT(2 * abnormal, ventricular) << "except those with an uncertain class";
  EXPECT_NE(contents_of(out_ + "/abnormal.csv").find("class: V ("), std::string::npos);
  EXPECT_EQ(run_program({"report", out_}).status, 0);
  const std::string page = contents_of(out_ + "/report.html");
  EXPECT_NE(page.find("No model was trained: "), std::string::npos);
  EXPECT_EQ(page.find("id=\"latents\""), std::string::npos);
}

// With a model of another recording, or a lower bound, the few beats have latents.
TEST_F(CliShort, FewBeatsTakeTheModelOfAnotherRecording) {
  const auto& signal = real_signal();
  run({signal.begin(), signal.begin() + 60 * kDataRate}, "long");
  const std::string model = out_ + "/model.safetensors",
                    few = written({signal.begin(), signal.begin() + 10 * kDataRate}),
                    out = (folder_.path() / "scored").string(), low = (folder_.path() / "low").string();
  const auto scored = run_program({"score", few, "--model", model, "--rate", "360", "--out", out, "--no-report"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  const auto summary = nlohmann::json::parse(contents_of(out + "/summary.json"));
  EXPECT_FALSE(summary["model"].contains("why_none"));
  const auto forced = run_program({"run", few, "--rate", "360", "--out", low, "--no-report", "--device", "cpu", "--set",
                                   "vae.least_beats=2", "--set", "vae.epochs=1"});
  ASSERT_EQ(forced.status, 0) << forced.err;
  EXPECT_TRUE(std::filesystem::exists(low + "/model.safetensors"));
  const auto alone =
      run_program({"run", few, "--rate", "360", "--out", low + "2", "--device", "cpu", "--set", "score.model_weight=1",
                   "--set", "score.median_weight=0", "--set", "score.nearest_weight=0"});
  EXPECT_EQ(alone.status, 4) << alone.err;
  EXPECT_NE(alone.err.find("too few beats to train a model on"), std::string::npos) << alone.err;
}

}  // namespace
}  // namespace beatscan
