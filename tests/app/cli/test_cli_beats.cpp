// The real program with --beats, --report and --model: which files a result has, and that all tools read them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/output/model_file.h"
#include "app/output/tables/parquet.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class CliBeats : public testing::Test {
 protected:
  void SetUp() override {
    for (const unsigned seed : {1u, 2u})
      generate(Cpu(1), {.samples = 40'000, .abnormal_share = 0.1, .seed = seed},
               path("ecg" + std::to_string(seed) + ".csv"));
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  Words run_of(const Words& inputs, const std::string& out, const Words& more = {}) const {
    Words words = {"run", "--rate", "250", "--device", "cpu", "-q", "--set", "vae.epochs=2", "--out", path(out)};
    for (const auto& input : inputs) words.push_back(path(input));
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void expect_done(const Words& words) const {
    const auto result = run_program(words);
    EXPECT_EQ(result.status, 0) << result.err;
  }
  nlohmann::json summary_in(const std::string& folder) const {
    return nlohmann::json::parse(contents_of(folder_.path() / folder / "summary.json"));
  }
  static bool has_arrow() { return !arrow_version().empty(); }

  TemporaryFolder folder_;
};

TEST_F(CliBeats, AResultWithParquetAloneServesAllCommands) {
  if (!has_arrow()) GTEST_SKIP() << "built without Arrow";
  expect_done(run_of({"ecg1.csv"}, "csv"));
  expect_done(run_of({"ecg1.csv"}, "parquet", {"--beats", "parquet"}));
  expect_done(run_of({"ecg1.csv"}, "both", {"--beats", "both"}));
  EXPECT_FALSE(fs::exists(path("parquet/beats.csv")) || fs::exists(path("csv/beats.parquet")));
  EXPECT_EQ(contents_of(path("both/beats.csv")), contents_of(path("csv/beats.csv")));
  EXPECT_EQ(contents_of(path("both/beats.parquet")), contents_of(path("parquet/beats.parquet")));

  const auto evaluation = [&](const std::string& out) {
    return run_program({"evaluate", path(out), "--truth", path("ecg1.truth.csv")}).out;
  };
  EXPECT_NE(evaluation("csv"), "");
  EXPECT_EQ(evaluation("parquet"), evaluation("csv"));
  for (const char* out : {"csv", "parquet"})
    expect_done({"plot", path(out), "--beat", "40", "--out", path(std::string(out) + ".svg"), "-q"});
  EXPECT_EQ(contents_of(path("parquet.svg")), contents_of(path("csv.svg")));
  const std::string page = contents_of(path("parquet/report.html"));
  fs::remove(path("parquet/report.html"));
  expect_done({"report", path("parquet"), "-q"});
  EXPECT_EQ(contents_of(path("parquet/report.html")), page);

  expect_done(run_of({"ecg1.csv"}, "parquet", {"--beats", "parquet", "--resume"}));
  EXPECT_EQ(run_program(run_of({"ecg1.csv"}, "csv", {"--beats", "both", "--resume"})).status, 6);
  expect_done(run_of({"ecg1.csv"}, "parquet", {"--force"}));
  EXPECT_FALSE(fs::exists(path("parquet/beats.parquet"))) << "--force replaces the whole result";
}

TEST_F(CliBeats, ABatchHasItsTableInBothForms) {
  if (!has_arrow()) GTEST_SKIP() << "built without Arrow";
  const Words inputs = {"ecg1.csv", "ecg2.csv"};
  expect_done(run_of(inputs, "batch", {"--beats", "both", "--no-report"}));
  EXPECT_EQ(read_parquet(path("batch/cohort.parquet")).rows, 2);
  EXPECT_EQ(run_program(run_of(inputs, "batch", {"--no-report"})).status, 6);
  expect_done(run_of(inputs, "batch", {"--force", "--no-report"}));
  EXPECT_FALSE(fs::exists(path("batch/cohort.parquet"))) << "it would describe the earlier results";
}

// The program with its libraries, but without the one that contains Arrow.
TEST_F(CliBeats, WithoutArrowTheProgramRunsAndSaysSo) {
  const fs::path build = fs::path(program_path()).parent_path();
  for (const char* name : {"beatscan", "libbeatscan_kernels.so", "libbeatscan_vae.so"})
    fs::copy_file(build / name, folder_.path() / name);
  Words words = start_of(path("beatscan"));
  for (const auto& word : run_of({"ecg1.csv"}, "out", {"--beats", "parquet"})) words.push_back(word);
  const auto refused = run_program(CommandLine{words});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "error: Parquet files cannot be written: this build has no Apache Arrow; run scripts/setup with a network, "
            "or give --beats csv\n");
  EXPECT_FALSE(fs::exists(path("out")));
  words.resize(words.size() - 2);
  EXPECT_EQ(run_program(CommandLine{words}).status, 0);
  EXPECT_TRUE(fs::exists(path("out/beats.csv")));
}

TEST_F(CliBeats, InfoOutlivesALibTorchThatEndsItsProcess) {
  const Words words = start_of(program_path());
  Words of_info{"env", "BEATSCAN_EXIT_LOADED=1", "BEATSCAN_VAE_LIBRARY=" + faulty_io_path()};
  of_info.insert(of_info.end(), words.begin(), words.end());
  of_info.push_back("info");
  const auto info = nlohmann::json::parse(run_program(CommandLine{of_info}).out);
  EXPECT_TRUE(info["libraries"]["libtorch"].is_null());
  EXPECT_EQ(info["no_libtorch_because"], "LibTorch ended its process");
}

// The program without the library that contains LibTorch: the published topology does not need it.
TEST_F(CliBeats, WithoutLibTorchTheFusedModelIsTrained) {
  const fs::path build = fs::path(program_path()).parent_path();
  for (const char* name : {"beatscan", "libbeatscan_kernels.so"}) fs::copy_file(build / name, folder_.path() / name);
  const auto run_here = [&](Words arguments) {
    Words words = start_of(path("beatscan"));
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(CommandLine{words});
  };
  const auto info = nlohmann::json::parse(run_here({"info"}).out);
  EXPECT_TRUE(info["libraries"]["libtorch"].is_null());
  EXPECT_NE(info["no_libtorch_because"].get<std::string>().find("LibTorch cannot be loaded"), std::string::npos);
  EXPECT_EQ(run_here(run_of({"ecg1.csv"}, "out")).status, 0);
  EXPECT_EQ(summary_in("out")["model"]["parameters"], 1618);
  for (const char* other : {"vae.engine=autograd", "vae.latents=3"}) {
    const auto refused = run_here(run_of({"ecg1.csv"}, "other", {"--set", other}));
    EXPECT_EQ(refused.status, 1) << other;
    EXPECT_NE(refused.err.find("error: LibTorch cannot be loaded"), std::string::npos) << refused.err;
    EXPECT_FALSE(fs::exists(path("other")));
  }
  const auto batch = run_here(run_of({"ecg1.csv", "ecg2.csv"}, "batch", {"--set", "vae.engine=autograd"}));
  EXPECT_EQ(batch.status, 1);
  EXPECT_EQ(batch.err.find("error: LibTorch cannot be loaded"), 0u) << batch.err;
  EXPECT_EQ(std::ranges::count(batch.err, '\n'), 1) << "reported once: " << batch.err;
  EXPECT_FALSE(fs::exists(path("batch"))) << "it was refused before it began";
}

TEST_F(CliBeats, PagesAreMadeOfWhatIsAskedFor) {
  const Words inputs = {"ecg1.csv", "ecg2.csv"};
  expect_done(run_of(inputs, "all"));
  expect_done(run_of(inputs, "none", {"--report", "none"}));
  for (const char* name : {"ecg1", "ecg2"}) {
    EXPECT_TRUE(fs::exists(folder_.path() / "all" / name / "report.html"));
    EXPECT_FALSE(fs::exists(folder_.path() / "none" / name / "report.html"));
  }
  // No score is above 1000, and the synthetic recording has no episodes.
  expect_done(run_of(inputs, "abnormal", {"--report", "abnormal", "--set", "score.threshold_deviations=1000"}));
  for (const char* name : {"ecg1", "ecg2"}) {
    const auto summary = summary_in(std::string("abnormal/") + name);
    const bool worth = summary["anomaly"]["count_in_good_signal"] > 0 || !summary["findings"]["episodes"].empty();
    EXPECT_EQ(fs::exists(folder_.path() / "abnormal" / name / "report.html"), worth) << summary["findings"].dump();
  }
  expect_failure(2, "--report excludes --no-report", run_of(inputs, "x", {"--report", "all", "--no-report"}));
  expect_failure(2, "--report: most not in {", run_of(inputs, "x", {"--report", "most"}));
}

TEST_F(CliBeats, ASavedModelWithoutFiniteNumbersIsRefused) {
  expect_done(run_of({"ecg1.csv"}, "own", {"--no-report"}));
  SavedModel model = read_model(path("own/model.safetensors"));
  for (float& value : model.parameters.at(4).values) value *= 1e30f;
  folder_.write("huge.safetensors", model_safetensors(model));
  expect_failure(3, "huge.safetensors: gives no finite numbers for the beats of this recording",
                 {"score", path("ecg2.csv"), "--rate", "250", "--device", "cpu", "-q", "--model",
                  path("huge.safetensors"), "--out", path("x")});
  EXPECT_FALSE(fs::exists(path("x")));
}

TEST_F(CliBeats, ASavedModelDoesNotSayWhereToWork) {
  expect_done(run_of({"ecg1.csv"}, "own", {"--no-report"}));
  SavedModel model = read_model(path("own/model.safetensors"));
  EXPECT_EQ(model.config.device, DeviceChoice::cpu);
  model.config.device = DeviceChoice::cuda;
  model.config.gpus = {63};
  folder_.write("elsewhere.safetensors", model_safetensors(model));
  const auto plan = run_program({"score", path("ecg2.csv"), "--rate", "250", "--dry-run", "--model",
                                 path("elsewhere.safetensors"), "--out", path("x")});
  ASSERT_EQ(plan.status, 0) << plan.err;
  EXPECT_EQ(nlohmann::json::parse(plan.out)["config"]["device"], "auto") << plan.out;
}

TEST_F(CliBeats, ASavedModelReportsItsDrift) {
  // A quarter of the beats are test beats: 100 of them are needed.
  for (const unsigned seed : {1u, 2u})
    generate(Cpu(1), {.samples = 120'000, .seed = seed}, path("long" + std::to_string(seed) + ".csv"));
  expect_done(run_of({"long1.csv"}, "own", {"--no-report"}));
  EXPECT_TRUE(summary_in("own")["drift"].is_null());
  const auto scored = [&](const std::string& model, const std::string& out, const Words& more = {}) {
    Words words = {"score",       path("long2.csv"), "--rate",    "250",   "--device", "cpu",
                   "--no-report", "--model",         path(model), "--out", path(out)};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  };
  const auto plain = scored("own/model.safetensors", "other");
  ASSERT_EQ(plain.status, 0) << plain.err;
  const auto drift = summary_in("other")["drift"];
  ASSERT_TRUE(drift["value"].is_number()) << drift;
  EXPECT_GE(drift["value"], 0);
  EXPECT_LE(drift["value"], 1);
  EXPECT_EQ(drift["latents"].size(), 2u);
  EXPECT_EQ(plain.err.find("drift"), std::string::npos) << "the scores of `default` do not depend on the model";
  EXPECT_NE(plain.out.find(", drift "), std::string::npos) << plain.out;

  const Words in_scores = {"--set", "score.model_weight=1"};
  Words strict = in_scores;
  strict.insert(strict.end(), {"--set", "score.most_drift=0"});
  EXPECT_NE(scored("own/model.safetensors", "strict", strict).err.find("trained on other beats: drift "),
            std::string::npos);
  // The model in a result remains that of its training.
  EXPECT_EQ(scored("other/model.safetensors", "again").status, 0);
  EXPECT_EQ(summary_in("again")["drift"], drift);

  std::string bytes = contents_of(folder_.path() / "own/model.safetensors");
  bytes.replace(bytes.find("dominant_beats"), 11, "other_notes");
  folder_.write("old.safetensors", bytes);
  const auto old = scored("old.safetensors", "by_old", in_scores);
  EXPECT_EQ(old.status, 0) << old.err;
  EXPECT_NE(old.err.find("the drift of the saved model is unknown"), std::string::npos) << old.err;
  EXPECT_TRUE(summary_in("by_old")["drift"]["value"].is_null());
}

TEST_F(CliBeats, StandardInputIsReadOnce) {
  expect_failure(2, "-: standard input is given more than once",
                 {"run", "-", "-", "--rate", "250", "--out", path("o")});
  EXPECT_FALSE(fs::exists(path("o")));
}

TEST_F(CliBeats, ARateThatIsNoNumberIsShownAsItIs) {
  expect_failure(2, "nan is not in the range 1 to 100000",
                 {"run", path("ecg1.csv"), "--rate", "nan", "--out", path("o")});
  expect_failure(2, "inf is not in the range 1 to 100000",
                 {"run", path("ecg1.csv"), "--rate", "inf", "--out", path("o")});
}

// Root has no such limit, so the program runs as another user, who can still read the program's folder.
TEST_F(CliBeats, TooFewThreadsAreReported) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  Words words = {"bash", "-c",
                 "ulimit -u 1; exec setpriv --reuid=65533 --clear-groups --inh-caps=+dac_read_search "
                 "--ambient-caps=+dac_read_search \"$@\"",
                 "sh"};
  for (const auto& word : command_of(run_of({"ecg1.csv", "ecg2.csv"}, "few")).words) words.push_back(word);
  fs::permissions(folder_.path(), fs::perms::all);
  const auto result = run_program(CommandLine{words});
  EXPECT_EQ(result.err.find("internal error"), std::string::npos) << result.err;
  if (result.status != 0) {
    EXPECT_NE(result.err.find("ulimit -u"), std::string::npos) << result.err;
  }
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with('.')) << entry.path();
}

}  // namespace
}  // namespace beatscan
