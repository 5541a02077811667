// Checks the precedence of sampling rates: the user's, then the recording's own, then that of the model's recording.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "app/common/json.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class CliRate : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  // Generates a synthetic ECG, with a column of times if requested.
  std::string recording(const std::string& name, bool with_times, double hz = 250) const {
    generate(Cpu(1), {.samples = 10'000, .sample_rate_hz = hz, .abnormal_share = 0.02}, path("plain.csv"), true);
    if (!with_times) {
      fs::rename(path("plain.csv"), path(name));
      return path(name);
    }
    std::istringstream lines(contents_of(path("plain.csv")));
    std::string line, text = "time,heartbeats\n";
    std::getline(lines, line);
    char time[40];
    for (int row = 0; std::getline(lines, line); ++row) {
      std::snprintf(time, sizeof time, "%.4f,", row / hz);
      text += time + line + "\n";
    }
    return folder_.write(name, text).string();
  }
  ProgramResult run(Arguments inputs, const std::string& out, const Arguments& more = {}) const {
    inputs.insert(inputs.begin(), {"run", "--out", path(out), "--set", "vae.epochs=2", "--set", "vae.least_beats=2"});
    inputs.insert(inputs.end(), more.begin(), more.end());
    return run_program(inputs);
  }
  Json summary_of(const std::string& out) const { return Json::parse(contents_of(path(out) + "/summary.json")); }
  void expect_rate(double hz, const std::string& source, const std::string& out) const {
    const Json summary = summary_of(out);
    EXPECT_EQ(summary["sample_rate"]["hz"], hz);
    EXPECT_EQ(summary["run"]["sample_rate_source"], source);
  }

  TemporaryFolder folder_;
};

TEST_F(CliRate, TheTimeColumnDeterminesIt) {
  ASSERT_EQ(run({recording("x.csv", true)}, "o").status, 0);
  expect_rate(250, "time column", "o");
  EXPECT_TRUE(Json::parse(contents_of(path("o/config.json")))["ingest"]["sample_rate_hz"].is_null());
  EXPECT_EQ(summary_of("o")["advisories"], Json::array());
}

// Waves and shapes are measured at up to 5,000 Hz, and beats are detected at up to 8,000 Hz.
TEST_F(CliRate, AboveTheRateOfWavesClassesRestOnIntervals) {
  ASSERT_EQ(run_program({"generate", "--samples", "180000", "--rate", "6000", "--out", path("fast.csv")}).status, 0);
  const auto result = run({path("fast.csv")}, "fast", {"--rate", "6000"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_GT(summary_of("fast")["beats"]["found"], 20);
  EXPECT_NE(result.err.find("classes rest on intervals alone"), std::string::npos) << result.err;
}

TEST_F(CliRate, TheUsersRateTakesPrecedenceWithAWarning) {
  const auto input = recording("x.csv", true);
  const std::string warning = "the time column says 250 Hz, 360 Hz is used, as asked for";
  const auto config = folder_.write("c.json", R"({"ingest": {"sample_rate_hz": 360}})").string();
  for (const auto& [out, source, more] :
       {std::tuple{"a", "command line", Arguments{"--rate", "360"}},
        std::tuple{"b", "command line", Arguments{"--set", "ingest.sample_rate_hz=360"}},
        std::tuple{"c", "configuration", Arguments{"--config", config}}}) {
    const auto result = run({input}, out, more);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("warning: " + input + ": BS101 caution: " + warning), result.err.npos) << result.err;
    expect_rate(360, source, out);
    EXPECT_EQ(summary_of(out)["advisories"][0]["message"], warning);
  }
  EXPECT_EQ(run({input}, "d", {"--rate", "250.1"}).err.find("is used"), std::string::npos) << "clocks differ";
}

TEST_F(CliRate, InspectReportsAContradictionToo) {
  const auto input = recording("x.csv", true);
  EXPECT_NE(run_program({"inspect", input, "--rate", "360"})
                .err.find("warning: " + input + ": the time column says 250 Hz; 360 Hz is used, as asked for"),
            std::string::npos);
  EXPECT_EQ(run_program({"inspect", input}).err, "");
}

TEST_F(CliRate, TheWrittenConfigurationGivesTheSameBytes) {
  const auto input = recording("x.csv", true);
  ASSERT_EQ(run({input}, "a").status, 0);
  ASSERT_EQ(run_program({"run", input, "--config", path("a/config.json"), "--out", path("b")}).status, 0);
  for (const char* name : {"beats.csv", "config.json", "model.safetensors", "x.vae", "quality.csv"})
    EXPECT_EQ(contents_of(path("a") + "/" + name), contents_of(path("b") + "/" + name)) << name;
}

TEST_F(CliRate, WithoutOneTheRunStopsBeforeItStarts) {
  const auto input = recording("x.csv", false);
  const std::string message =
      input + ": sampling rate unknown: give --rate HZ (or ingest.sample_rate_hz in the configuration)";
  expect_failure(2, message, {"run", input, "--out", path("o")});
  expect_failure(2, message, {"run", recording("t.csv", true), input, "--out", path("o")});
  expect_failure(2, message, {"run", input, "--out", path("o"), "--dry-run"});
  expect_failure(2, message, {"bench", input, "--device", "cpu"});
  expect_failure(2,
                 "index.csv: sampling rate unknown: give --rate HZ (or ingest.sample_rate_hz in the configuration); "
                 "column 'time' rises by 1 a row, which in seconds would be 1 Hz",
                 {"run", folder_.write("index.csv", "time,mV\n0,1\n1,2\n2,1\n3,2\n").string(), "--out", path("o")});
  expect_failure(2, message,
                 {"run", "--config", "seed", "--truth", path("plain.truth.csv"), input, "--out", path("o")});
  EXPECT_FALSE(fs::exists(path("o")));
}

TEST_F(CliRate, ARateThatDoesNotServe) {
  const auto slow = recording("slow.csv", true, 50);
  expect_failure(4,
                 slow +
                     ": 50 Hz by the time column: ingest.sample_rate_hz: 50.0 Hz: R peaks can be found at 60.0 to "
                     "8000.0 Hz; resample",
                 {"run", slow, "--out", path("o")});
  expect_failure(2, "R peaks can be found at", {"run", slow, "--rate", "50", "--out", path("o")});
}

TEST_F(CliRate, ABatchMayMixRates) {
  const auto result =
      run({recording("a.csv", true, 250), recording("b.csv", true, 500), recording("slow.csv", true, 50)}, "o");
  EXPECT_EQ(result.status, 7);
  ASSERT_EQ(error_lines(result).size(), 2u) << result.err;
  EXPECT_NE(error_lines(result)[0].find("slow.csv: 50 Hz by the time column"), std::string::npos);
  expect_rate(250, "time column", "o/a");
  expect_rate(500, "time column", "o/b");
}

// The rate in a model is that of the recording it was trained on. It does not count as the user's: a recording's own
// rate takes precedence.
TEST_F(CliRate, AModelsRateIsTheLastToCount) {
  const auto plain = recording("plain250.csv", false), timed = recording("timed500.csv", true, 500);
  ASSERT_EQ(run({plain}, "trained", {"--rate", "250"}).status, 0);
  const auto score = [&](const std::string& input, const std::string& out, const Arguments& more = {}) {
    Arguments arguments = {"score", input, "--model", path("trained/model.safetensors"), "--out", path(out)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  };
  score(plain, "a");
  expect_rate(250, "model", "a");
  EXPECT_NE(contents_of(path("a/summary.json")).find("does not specify its sampling rate: 250 Hz"), std::string::npos);
  EXPECT_EQ(contents_of(path("a/beats.csv")), contents_of(path("trained/beats.csv")));
  EXPECT_EQ(contents_of(path("a/config.json")), contents_of(path("trained/config.json")));
  score(timed, "b");
  expect_rate(500, "time column", "b");
  EXPECT_TRUE(Json::parse(contents_of(path("b/config.json")))["ingest"]["sample_rate_hz"].is_null());
  score(timed, "c", {"--rate", "250"});
  expect_rate(250, "command line", "c");

  ASSERT_EQ(run({timed}, "timed").status, 0);
  expect_failure(2, "sampling rate unknown",
                 {"score", plain, "--model", path("timed/model.safetensors"), "--out", path("d")});
}

TEST_F(CliRate, InspectShowsItAndItsSource) {
  const auto inspect = [](const Arguments& arguments) { return Json::parse(run_program(arguments).out); };
  const auto timed = recording("x.csv", true);
  Json json = inspect({"inspect", timed});
  EXPECT_EQ(json["sample_rate_hz"], 250);
  EXPECT_EQ(json["sample_rate_source"], "time column");
  EXPECT_EQ(json["duration_s"], 40);
  json = inspect({"inspect", timed, "--rate", "500"});
  EXPECT_EQ(json["sample_rate_hz"], 500);
  EXPECT_EQ(json["sample_rate_source"], "command line");
  json = inspect({"inspect", recording("y.csv", false)});
  EXPECT_TRUE(json["sample_rate_hz"].is_null());
  EXPECT_TRUE(json["sample_rate_source"].is_null());
}

}  // namespace
}  // namespace beatscan
