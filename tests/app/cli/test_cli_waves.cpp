// The real program with --waves: which files a result has, and that evaluate compares them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/output/tables/parquet.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Json = nlohmann::json;

class CliWaves : public testing::Test {
 protected:
  void SetUp() override { generate(Cpu(1), {.samples = 20'000, .abnormal_share = 0.1}, path("ecg.csv")); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  bool is_there(const std::string& name) const { return fs::exists(folder_.path() / name); }
  std::string contents(const std::string& name) const { return contents_of(folder_.path() / name); }
  Words words(const std::string& command, const std::string& out, const Words& more) const {
    Words all = {command, path("ecg.csv"), "--rate", "250",          "--device", "cpu",
                 "-q",    "--no-report",   "--set",  "vae.epochs=1", "--out",    path(out)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void run(const std::string& out, const Words& more = {}) const {
    const auto result = run_program(words("run", out, more));
    EXPECT_EQ(result.status, 0) << result.err;
  }
  Json evaluated(const std::string& out, const std::string& truth, const Words& more = {}) const {
    Words all = {"evaluate", path(out), "--truth", path(truth)};
    all.insert(all.end(), more.begin(), more.end());
    const auto result = run_program(all);
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out);
  }
  TemporaryFolder folder_;
};

TEST_F(CliWaves, AddsATableAndAnAnnotationFile) {
  run("usual");
  run("waves", {"--waves"});
  run("set", {"--set", "output.waves=true"});
  EXPECT_FALSE(is_there("usual/waves.csv") || is_there("usual/ecg.waves"));
  const Json summary = Json::parse(contents("waves/summary.json"));
  EXPECT_EQ(std::ranges::count(contents("waves/waves.csv"), '\n'), summary["beats"]["found"].get<int>() + 1);
  EXPECT_EQ(Json::parse(contents("waves/config.json"))["output"]["waves"], true);
  for (const char* name : {"waves.csv", "ecg.waves", "config.json"})
    EXPECT_EQ(contents(std::string("set/") + name), contents(std::string("waves/") + name)) << name;
  for (const char* name : {"beats.csv", "abnormal.csv", "templates.csv", "ecg.vae", "ecg_mqc.json"})
    EXPECT_EQ(contents(std::string("usual/") + name), contents(std::string("waves/") + name)) << name;
  run("again", {"--config", path("waves/config.json")});
  EXPECT_EQ(contents("again/waves.csv"), contents("waves/waves.csv"));
}

TEST_F(CliWaves, AreWrittenInTheFormOfTheBeats) {
  if (arrow_version().empty()) GTEST_SKIP() << "built without Arrow";
  run("parquet", {"--waves", "--beats", "parquet"});
  EXPECT_FALSE(is_there("parquet/waves.csv"));
  run("both", {"--waves", "--beats", "both"});
  EXPECT_TRUE(is_there("both/waves.csv"));
  EXPECT_EQ(contents("both/waves.parquet"), contents("parquet/waves.parquet"));
  const Words lead = {"--lead", "0"};
  EXPECT_EQ(evaluated("parquet", "both/ecg.waves", lead), evaluated("both", "both/ecg.waves", lead));
}

// The annotations match the waves of the result to half a sample.
TEST_F(CliWaves, EvaluateComparesThem) {
  run("o", {"--waves"});
  for (const Words& lead : {Words{}, Words{"--lead", "0"}}) {
    const Json waves = evaluated("o", "o/ecg.waves", lead)["waves"];
    for (const char* name : {"p_onset", "p_peak", "p_end", "qrs_onset", "qrs_end", "t_peak", "t_end"}) {
      SCOPED_TRACE(name);
      EXPECT_GT(waves[name]["reference"], 50);
      EXPECT_EQ(waves[name]["f1"], 1);
      EXPECT_LE(std::abs(waves[name]["mean_ms"].get<double>()), 2);
    }
  }
  run("compared", {"--truth", path("o/ecg.waves")});
  EXPECT_EQ(Json::parse(contents("compared/summary.json"))["evaluation"], evaluated("o", "o/ecg.waves"));
  EXPECT_FALSE(evaluated("o", "ecg.truth.csv").contains("waves"));
  expect_failure(2, "waves.csv: is not there, and --lead needs it; run the analysis with --waves",
                 {"evaluate", path("compared"), "--truth", path("o/ecg.waves"), "--lead", "0"});
}

TEST_F(CliWaves, ResumeAddsNone) {
  run("o");
  expect_failure(6, "is a result without waves.csv, which --waves asks for",
                 words("run", "o", {"--waves", "--resume"}));
  run("o", {"--waves", "--force"});
  run("o", {"--waves", "--resume"});
  run("o", {"--resume"});
  EXPECT_TRUE(is_there("o/waves.csv")) << "files that were not requested stay";
}

TEST_F(CliWaves, ASavedModelDoesNotAskForThem) {
  run("o", {"--waves"});
  const auto score = [&](const std::string& out, Words more) {
    more.insert(more.end(), {"--model", path("o/model.safetensors")});
    const auto result = run_program(words("score", out, more));
    EXPECT_EQ(result.status, 0) << result.err;
  };
  score("usual", {});
  EXPECT_FALSE(is_there("usual/waves.csv"));
  score("waves", {"--waves"});
  EXPECT_EQ(contents("waves/waves.csv"), contents("o/waves.csv"));
}

TEST_F(CliWaves, ThePublishedMethodHasNone) {
  for (const std::string what : {"waves", "features"}) {
    const auto result = run_program(words("run", "o", {"--config", "published", "--" + what}));
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err, "error: output." + what +
                              ": the method published has neither waves nor classes nor rhythm; leave it out\n");
  }
}

}  // namespace
}  // namespace beatscan
