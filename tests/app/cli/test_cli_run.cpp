// The real program: the output of `run` and `evaluate`, for one recording and in batches, and its reproducibility.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/common/json.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/paths/paths.h"
#include "tests/support/result_files.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

const std::string kData = source_folder() + "/data/mitdb_205";

class CliRun : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string recording(const std::string& name = "ecg.csv") const {
    if (!fs::exists(path(name))) generate(Cpu(1), {.samples = 10'000, .abnormal_share = 0.1}, path(name));
    return path(name);
  }
  // Runs with a short training on synthetic ECG.
  ProgramResult run(const Arguments& inputs, const std::string& out, const Arguments& more = {"--rate", "250"}) const {
    Arguments arguments = {"run", "--out", path(out), "--set", "vae.epochs=2"};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  Json summary_of(const std::string& out) const { return Json::parse(contents_of(path(out) + "/summary.json")); }

  void expect_same_results(const std::string& one, const std::string& other) const {
    EXPECT_EQ(difference_of_results(path(one), path(other)), "");
  }

  TemporaryFolder folder_;
};

TEST_F(CliRun, ARealRecordingWithItsTruth) {
  const auto result = run({kData + ".csv"}, "o", {"--rate", "360", "--truth", kData + ".truth.csv"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(error_lines(result).empty());
  EXPECT_NE(result.out.find(path("o")), result.out.npos) << "prints the location of the results";
  for (const char* name : {"beats.csv", "abnormal.csv", "summary.json", "config.json", "generated.csv",
                           "model.safetensors", "report/envelope.npy", "report/strip_beats.npy", "report/strips.npy",
                           "report/rows.npy", "report/decoded.npy", "report/reference.npy", "report/grid.npy"})
    EXPECT_TRUE(fs::is_regular_file(path("o") + "/" + name)) << name;
  EXPECT_FALSE(fs::exists(path("o/arrays")));

  const Json summary = summary_of("o");
  EXPECT_EQ(summary["input"]["samples"], 650'000);
  EXPECT_EQ(summary["input"]["bytes"], fs::file_size(kData + ".csv"));
  EXPECT_EQ(summary["sample_rate"]["hz"], 360);
  EXPECT_EQ(summary["model"]["loss_per_epoch"].size(), 2u);
  EXPECT_EQ(summary["model"]["parameters"], 1618);
  EXPECT_EQ(summary["report"]["strip_samples"], 3600);
  const std::string command = summary["run"]["command"];
  EXPECT_NE(command.find(" run --out " + path("o")), command.npos) << command;

  const auto evaluated = run_program({"evaluate", path("o"), "--truth", kData + ".truth.csv"});
  ASSERT_EQ(evaluated.status, 0) << evaluated.err;
  const Json evaluation = Json::parse(evaluated.out);
  EXPECT_EQ(evaluation, summary["evaluation"]);
  EXPECT_FALSE(evaluation.contains("episodes")) << "the truth has no rhythms";
  const auto rhythms = folder_.write("rhythms.csv", "sample,label\n0,N\n");
  const auto with_rhythms =
      run_program({"evaluate", path("o"), "--truth", kData + ".truth.csv", "--rhythms", rhythms.string()});
  EXPECT_TRUE(Json::parse(with_rhythms.out).contains("episodes")) << "none of the labels is compared";
  for (const char* key : {"tolerance_ms", "tp", "fp", "fn", "sensitivity", "ppv", "f1"})
    EXPECT_TRUE(evaluation["detection"][key].is_number()) << key;
  for (const char* kind : {"V", "SVF"})
    for (const char* key : {"auroc", "average_precision", "positives", "negatives"})
      EXPECT_TRUE(evaluation["anomaly"][kind][key].is_number()) << kind << " " << key;
  EXPECT_EQ(evaluation["anomaly"]["V"]["positives"], 71);
  EXPECT_EQ(evaluation["anomaly"]["V"]["negatives"], 2571);
  EXPECT_GE(evaluation["detection"]["f1"], 0.98);
}

TEST_F(CliRun, TablesOfTheStandard) {
  ASSERT_EQ(run_program({"run", kData + ".csv", "--rate", "360", "--device", "cpu", "--no-report", "--model", "none",
                         "--out", path("o"), "-q"})
                .status,
            0);
  const std::vector<std::string> command = {"evaluate",           path("o"),    "--truth",
                                            kData + ".truth.csv", "--standard", "ec57"};
  const auto tables = run_program(command);
  EXPECT_EQ(tables.status, 0) << tables.err;
  EXPECT_TRUE(tables.out.starts_with("ANSI/AAMI EC57, 1 recording, from 5:00 to the end, match window 150 ms\n"));
  auto with_json = command;
  with_json.push_back("--json");
  const Json json = Json::parse(run_program(with_json).out);
  EXPECT_GE(json["records"]["o"]["beats"]["v_sensitivity"], 0.98);
  EXPECT_EQ(json["gross"]["beats"], json["records"]["o"]["beats"]);
  EXPECT_LT(json["gross"]["heart_rate"]["rms_error"], 0.01);
  expect_failure(2, "--json goes with --standard ec57",
                 {"evaluate", path("o"), "--truth", kData + ".truth.csv", "--json"});
  expect_failure(2, "--exclude is for a batch",
                 {"evaluate", path("o"), "--truth", kData + ".truth.csv", "--standard", "ec57", "--exclude", "o"});
  expect_failure(2, "--standard", {"evaluate", path("o"), "--truth", kData + ".truth.csv", "--standard", "ec38"});
}

TEST_F(CliRun, TheSeedConfigurationNeedsNoRate) {
  ASSERT_EQ(run({recording()}, "o", {"--config", "seed", "--save-arrays"}).status, 0);
  EXPECT_TRUE(summary_of("o")["sample_rate"]["hz"].is_null());
  for (const char* name : {"signal", "response", "starts", "lengths", "embeddings", "latents"})
    EXPECT_TRUE(fs::is_regular_file(path("o") + "/arrays/" + name + ".npy")) << name;
  expect_failure(2, "sample_rate.hz is null", {"evaluate", path("o"), "--truth", path("ecg.truth.csv")});
  EXPECT_EQ(run_program({"evaluate", path("o"), "--truth", path("ecg.truth.csv"), "--rate", "250"}).status, 0);
}

TEST_F(CliRun, TheSameRunGivesTheSameBytes) {
  const Arguments options = {"--rate", "250", "--seed", "7", "--save-arrays"};
  ASSERT_EQ(run({recording()}, "a", options).status, 0);
  ASSERT_EQ(run({recording()}, "b", options).status, 0);
  expect_same_results("a", "b");
  ASSERT_EQ(run({recording()}, "c", {"--rate", "250", "--seed", "8", "--save-arrays"}).status, 0);
  EXPECT_TRUE(files_of(path("a"))["beats.csv"] != files_of(path("c"))["beats.csv"]);
}

TEST_F(CliRun, TheWrittenConfigurationGivesTheSameBytes) {
  ASSERT_EQ(run({recording()}, "a", {"--rate", "250", "--seed", "7", "--set", "score.threshold_fraction=0.1"}).status,
            0);
  ASSERT_EQ(run_program({"run", recording(), "--config", path("a/config.json"), "--out", path("b")}).status, 0);
  expect_same_results("a", "b");
  ASSERT_EQ(run_program({"run", recording(), "--config", path("b/config.json"), "--out", path("c")}).status, 0);
  expect_same_results("b", "c");
}

TEST_F(CliRun, AnExistingResultIsReplacedByForce) {
  ASSERT_EQ(run({recording()}, "o").status, 0);
  const auto first = files_of(path("o"));
  const auto refused = run({recording()}, "o");
  EXPECT_EQ(refused.status, 6);
  EXPECT_TRUE(files_of(path("o")) == first);
  EXPECT_EQ(run({recording()}, "o", {"--rate", "250", "--seed", "99", "--force"}).status, 0);
  EXPECT_TRUE(files_of(path("o"))["beats.csv"] != first.at("beats.csv"));
}

TEST_F(CliRun, WhatIsReadIsNotReplaced) {
  ASSERT_EQ(run({recording()}, "o", {"--rate", "250", "--save-arrays"}).status, 0);
  const auto refused = [&](const std::string& part, const std::string& input, Arguments more) {
    more.insert(more.end(), {"--rate", "250", "--force"});
    const auto before = files_of(folder_.path());
    const auto result = run({input}, "o", more);
    EXPECT_EQ(result.status, 6) << result.err;
    ASSERT_EQ(error_lines(result).size(), 1u) << result.err;
    EXPECT_NE(error_lines(result)[0].find(part), std::string::npos) << result.err;
    EXPECT_TRUE(files_of(folder_.path()) == before);
  };
  refused("generated.csv: is in the output folder", path("o/generated.csv"), {});
  fs::copy_file(recording(), path("o/mine.csv"));
  refused("it holds mine.csv", path("o/mine.csv"), {});
  fs::rename(path("o/mine.csv"), path("truth.csv"));
  refused("is read by this run", recording(), {"--pool-log", recording()});
  refused("is where the results are put", recording(), {"--pool-log", path("o")});
  refused("is where the results are put", recording(), {"--pool-log", path("o/beats.csv")});
  EXPECT_EQ(run({recording()}, "o", {"--rate", "250", "--force"}).status, 0) << "arrays belong to a result, too";
}

TEST_F(CliRun, ATruthOfAnotherRecordingIsSaid) {
  const auto with = [&](const std::string& truth) {
    const auto file = folder_.write("other.csv", truth).string();
    return run({recording()}, "o", {"--rate", "250", "--force", "--truth", file}).err;
  };
  EXPECT_NE(with("sample,symbol\n500,N\n99999999,N\n").find("1 of 2 beats lies beyond the end of the recording"),
            std::string::npos);
  EXPECT_NE(with("sample,symbol\n").find("other.csv has no beats"), std::string::npos);
  const std::string pipe = path("pipe.csv");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_failure(3, "is a device or a pipe; give a file",
                 {"run", recording(), "--rate", "250", "--out", path("p"), "--truth", pipe});
}

TEST_F(CliRun, ABatchWithOneBadFileKeepsTheGoodOnes) {
  const auto bad = folder_.write("bad.csv", "mV\n1\noops\n").string();
  const auto result = run({recording("one.csv"), bad, recording("two.csv")}, "batch");
  EXPECT_EQ(result.status, 7);
  const auto errors = error_lines(result);
  ASSERT_EQ(errors.size(), 2u) << result.err;
  EXPECT_NE(errors[0].find("bad.csv:3: "), std::string::npos) << errors[0];
  EXPECT_NE(errors[1].find("1 of 3 recordings failed"), std::string::npos) << errors[1];
  EXPECT_TRUE(fs::exists(path("batch/one/summary.json")));
  EXPECT_TRUE(fs::exists(path("batch/two/summary.json")));
  EXPECT_EQ(names_in(path("batch")),
            (std::set<std::string>{".bad.failed.json", "cohort.csv", "failures.csv", "index.html", "one", "two"}));
  const std::string table = contents_of(path("batch/cohort.csv")), page = contents_of(path("batch/index.html"));
  EXPECT_EQ(std::ranges::count(table, '\n'), 4) << table;
  EXPECT_NE(table.find("bad.csv:3: "), table.npos) << table;
  for (const char* part : {"one", "two", "failed: ", "bad.csv:3: "}) EXPECT_NE(page.find(part), page.npos) << part;
  EXPECT_NE(result.out.find(path("batch/index.html")), result.out.npos) << result.out;
}

TEST_F(CliRun, TheListOfABatchIsNotReplacedUnasked) {
  fs::create_directory(path("batch"));
  folder_.write("batch/index.html", "mine");
  const Arguments inputs = {recording("one.csv"), recording("two.csv")};
  const auto refused = run(inputs, "batch");
  EXPECT_EQ(refused.status, 6);
  ASSERT_EQ(error_lines(refused).size(), 1u) << refused.err;
  EXPECT_NE(error_lines(refused)[0].find("index.html: exists; --resume keeps what is complete"), std::string::npos)
      << refused.err;
  EXPECT_FALSE(fs::exists(path("batch/one")));
  EXPECT_EQ(run(inputs, "batch", {"--rate", "250", "--force"}).status, 0);
  EXPECT_NE(contents_of(path("batch/index.html")), "mine");
  EXPECT_EQ(run({recording("one.csv")}, "single").status, 0);
  EXPECT_FALSE(fs::exists(path("single/index.html"))) << "one recording is no batch";
}

TEST_F(CliRun, ABatchOfBadFilesLeavesItsFailures) {
  const auto bad = folder_.write("bad.csv", "mV\n1\noops\n").string();
  const auto result = run({path("nothing.csv"), bad}, "batch");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(error_lines(result).size(), 3u) << result.err;
  EXPECT_EQ(names_in(path("batch")),
            (std::set<std::string>{".bad.failed.json", ".nothing.failed.json", "failures.csv"}));
  const auto flat = folder_.write("flat.csv", "mV\n1\n1\n").string();
  EXPECT_EQ(run({bad, flat}, "batch").status, 3) << "the first failure's status";
  EXPECT_EQ(run({flat, bad}, "batch").status, 4) << "the first failure's status";
}

TEST_F(CliRun, FilesOfOneNameGetFoldersOfTheirOwn) {
  fs::create_directory(path("x"));
  const auto result = run({recording("ecg.csv"), recording("x/ecg.csv")}, "batch");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(fs::exists(path("batch/ecg/summary.json")));
  EXPECT_TRUE(fs::exists(path("batch/ecg-2/summary.json")));
  for (const std::string name : {"ecg", "ecg-2"})
    EXPECT_TRUE(Json::parse(contents_of(path("batch/" + name + "/" + name + "_mqc.json")))["data"].contains(name));
}

TEST_F(CliRun, AMistakeInTheOptionsEndsABatch) {
  const auto result = run({recording("one.csv"), recording("two.csv")}, "batch", {});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(error_lines(result).size(), 1u) << result.err;
  EXPECT_EQ(run({recording("one.csv"), recording("two.csv")}, "batch", {"--rate", "250", "--truth", "t.csv"}).status,
            2);
  EXPECT_FALSE(fs::exists(path("batch")));
}

TEST_F(CliRun, MessagesAreJsonLinesWhereAskedFor) {
  const auto result = run({recording()}, "o", {"--rate", "250", "-v", "--log-format", "json"});
  EXPECT_EQ(result.status, 0);
  std::istringstream lines(result.err);
  int epochs = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json message = Json::parse(line, nullptr, false);
    ASSERT_TRUE(message.is_object()) << line;
    EXPECT_TRUE(message["level"].is_string());
    epochs += message["message"].get<std::string>().find(".csv: epoch ") != std::string::npos;
  }
  EXPECT_EQ(epochs, 2);
}

TEST_F(CliRun, QuietLeavesOnlyWarningsAndErrors) {
  const auto result = run({recording()}, "o", {"--rate", "250", "-q"});
  EXPECT_EQ(result.status, 0);
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(line.starts_with("warning: ")) << line;
}

TEST_F(CliRun, EvaluateNamesWhatIsMissing) {
  expect_failure(3, "nothing: is not a folder (No such file or directory); give the folder of a result",
                 {"evaluate", path("nothing"), "--truth", kData + ".truth.csv"});
  ASSERT_EQ(run({recording()}, "o").status, 0);
  expect_failure(3, "nothing.csv: cannot be read", {"evaluate", path("o"), "--truth", path("nothing.csv")});
  expect_failure(2, "--truth is required", {"evaluate", path("o")});
  expect_failure(2, "--tolerance-ms",
                 {"evaluate", path("o"), "--truth", path("ecg.truth.csv"), "--tolerance-ms", "-1"});
}

// A saved model on its own training recording gives the same result as the training run, without the history.
TEST_F(CliRun, ScoreEqualsRun) {
  ASSERT_EQ(run({recording()}, "trained").status, 0);
  const auto scored = run_program(
      {"score", recording(), "--model", path("trained/model.safetensors"), "--rate", "250", "--out", path("scored")});
  ASSERT_EQ(scored.status, 0) << scored.err;
  auto trained = files_of(path("trained")), again = files_of(path("scored"));
  for (const char* name : {"summary.json", "report.html"}) {
    EXPECT_EQ(trained.erase(name), 1u);
    EXPECT_EQ(again.erase(name), 1u);
  }
  EXPECT_EQ(trained.size(), again.size());
  for (const auto& [name, content] : trained) EXPECT_TRUE(again[name] == content) << name << " differs";
  const Json summary = summary_of("scored");
  EXPECT_EQ(summary["model"]["source"], path("trained/model.safetensors"));
  EXPECT_EQ(summary["model"]["loss_per_epoch"], Json::array());
  EXPECT_EQ(summary["anomaly"], summary_of("trained")["anomaly"]);
}

TEST_F(CliRun, ScoreTakesOtherRecordingsAndRefusesOtherModels) {
  ASSERT_EQ(run({recording()}, "trained").status, 0);
  const std::string model = path("trained/model.safetensors");
  generate(Cpu(1), {.samples = 20'000, .sample_rate_hz = 500, .abnormal_share = 0.1, .seed = 9}, path("other.csv"));
  const auto other = run_program({"score", path("other.csv"), "--rate", "500", "--model", model, "--out", path("o")});
  EXPECT_EQ(other.status, 0) << other.err;
  expect_failure(2, "topology", {"score", recording(), "--model", model, "--set", "vae.latents=3", "--out", path("p")});
  expect_failure(2, "was trained with rows.before_s of 0.15, not 0.3; leave out settings of rows",
                 {"score", recording(), "--model", model, "--set", "rows.before_s=0.3", "--out", path("p")});
  expect_failure(3, "not a complete safetensors file",
                 {"score", recording(), "--model", recording(), "--out", path("p")});
  expect_failure(3, "cannot be read", {"score", recording(), "--model", path("none"), "--out", path("p")});
  expect_failure(2, "--model is required", {"score", recording(), "--out", path("p")});
}

}  // namespace
}  // namespace beatscan
