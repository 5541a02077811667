// Lists, shards and cohorts by the real program: one process and several give the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/batch/resume.h"
#include "app/common/environment.h"
#include "tests/app/batch/cohort_test.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

TEST_F(Cohort, AListIsABatch) {
  const auto result = run("o");
  EXPECT_EQ(result.status, 7) << result.err;
  EXPECT_TRUE(has(result.err, "1 input is listed twice and is analysed once (" + path("d/r2.csv") + " in line 10)"));
  EXPECT_EQ(text("o/failures.csv"),
            "input,name,status,message\n" + path("d/bad.csv") + ",bad,3," + path("d/bad.csv") +
                ":3: byte 5: 'oops' is not a number; --set ingest.on_bad=nan (or skip) goes on without it\n" +
                path("d/gone.csv") + ",gone,3," + path("d/gone.csv") +
                ": cannot be read: No such file or directory; check the name and its permissions\n");
  const std::string table = text("o/cohort.csv");
  EXPECT_EQ(std::ranges::count(table, '\n'), 8) << table;
  EXPECT_TRUE(has(table, path("d/r1.csv") + ",two,")) << table;
  const auto summary = nlohmann::json::parse(text("o/r0/summary.json"));
  EXPECT_EQ(summary["run"]["sample_rate_source"], "list");
  EXPECT_TRUE(summary.contains("evaluation"));
  EXPECT_FALSE(nlohmann::json::parse(text("o/r0-2/summary.json")).contains("evaluation"));
  EXPECT_TRUE(has(result.err, "\"done\":7,\"of\":7,\"kept\":0,\"failed\":2")) << result.err;
}

TEST_F(Cohort, ShardsMakeTheSameBytes) {
  ASSERT_EQ(run("whole").status, 7);
  folder_.write("d/turned.csv",
                "input,name,truth,rate\nr2.csv,,,250\nr2.csv,,,250\nx/r0.csv,,,250\nr1.csv,two,,250\ngone.csv,,,250\n"
                "bad.csv,,,250\nr0.csv,,r0.truth.csv,250\nr3.csv,,,250\n");
  for (const char* shard : {"2/3", "0/3", "1/3"}) {
    const auto result = run("shards", {"--shard", shard}, "d/turned.csv");
    EXPECT_TRUE(result.status == 0 || result.status == 7 || result.status == 3) << result.err;
    EXPECT_TRUE(has(result.out, std::string("shard      ") + shard + ": ")) << result.out;
  }
  EXPECT_FALSE(fs::exists(path("shards/cohort.csv"))) << "a shard has no information about the others";
  const auto listed = cohort("shards", {"--list", path("d/turned.csv")});
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_TRUE(has(listed.out, "7 recordings: 5 complete, 2 failed\n")) << listed.out;
  expect_same_cohort("whole", "shards");
  ASSERT_EQ(cohort("shards").status, 0);
  expect_same_cohort("whole", "shards");
}

TEST_F(Cohort, ALauncherSaysTheShard) {
  const auto second = run("o", {"--shard", "auto"}, "d/list.csv",
                          {"SLURM_PROCID=1", "SLURM_NTASKS=2", "SLURM_LOCALID=1", "SLURM_JOB_ID=3", "SLURM_STEP_ID=0"});
  EXPECT_TRUE(has(second.err, "shard 1/2 (task 1 of 2 of srun): 3 of 7 recordings")) << second.err;
  const auto first = run("o", {"--shard", "auto"}, "d/list.csv", {"RANK=0", "WORLD_SIZE=2", "LOCAL_RANK=0"});
  EXPECT_TRUE(has(first.err, "shard 0/2 (task 0 of 2 of torchrun): 4 of 7 recordings")) << first.err;
  EXPECT_TRUE(has(cohort("o").out, "5 complete, 2 failed"));
  const auto unused = run("p", {}, "d/list.csv", {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=2"});
  EXPECT_TRUE(has(unused.err, "this is task 0 of 2 of mpirun, and each task is given the same work")) << unused.err;
}

TEST_F(Cohort, WrongSharesAreUsageErrors) {
  const auto refused = [&](const std::string& part, const std::string& shard,
                           std::vector<std::string> environment = {}) {
    const auto result = run("o", {"--shard", shard}, "d/list.csv", std::move(environment));
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_TRUE(has(result.err, part)) << result.err;
    EXPECT_FALSE(fs::exists(path("o")));
  };
  refused("is out of range: shards count from 0", "2/2");
  refused("the number of shards must be", "0/0");
  refused("RANK=2 is out of range", "auto", {"RANK=2", "WORLD_SIZE=2"});
  refused("WORLD_SIZE=0: there is at least one task", "auto", {"RANK=0", "WORLD_SIZE=0"});
  expect_failure(2, "--shard goes with several recordings",
                 {"run", path("d/r0.csv"), "--rate", "250", "--shard", "0/2", "--out", path("o")});
  expect_failure(2, "input is required", {"run", "--out", path("o")});
  expect_failure(2, "is empty; give I/N", {"run", path("d"), "--rate", "250", "--shard", "", "--out", path("o")});
  expect_failure(2, "each process needs the whole list", {"run", "--list", "-", "--shard", "0/2", "--out", path("o")});
}

TEST_F(Cohort, MoreShardsThanRecordingsIsNoError) {
  const auto result = run("o", {"--shard", "8/9"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_FALSE(fs::exists(path("o")));
}

TEST_F(Cohort, ResumeMakesWhatIsMissingOrFailed) {
  ASSERT_EQ(run("o").status, 7);
  const auto before = files_of(path("o/r0"));
  fs::remove_all(path("o/r3"));
  fs::remove(path("d/bad.csv"));
  fs::copy_file(path("d/r2.csv"), path("d/bad.csv"));
  const auto result = run("o", {"--resume"});
  EXPECT_EQ(result.status, 7) << result.err;
  EXPECT_TRUE(has(result.err, "\"done\":7,\"of\":7,\"kept\":4,\"failed\":1")) << result.err;
  EXPECT_TRUE(files_of(path("o/r0")) == before);
  EXPECT_TRUE(fs::exists(path("o/bad/beats.csv")));
  EXPECT_FALSE(fs::exists(path("o/.bad.failed.json"))) << "it has a result now";
  EXPECT_TRUE(fs::exists(path("o/.gone.failed.json")));
  const std::string failures = text("o/failures.csv");
  EXPECT_EQ(std::ranges::count(failures, '\n'), 2) << failures;
}

TEST_F(Cohort, EachStateIsReported) {
  ASSERT_EQ(run("o", {"--shard", "0/2"}).status, 7);
  auto claim = Claim::take(path("o/r0-2"), "x/r0.csv");
  folder_.write("o/.r3.claim", "");
  folder_.write("o/.old.checkpoint.safetensors", "");
  fs::create_directories(path("o/deep/er"));
  fs::rename(path("o/r0"), path("o/deep/er/r0"));
  const auto listed = cohort("o", {"--list", path("d/list.csv")});
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_TRUE(has(listed.out, "8 recordings: 3 complete, 1 failed, 1 running, 2 interrupted, 1 missing")) << listed.out;
  EXPECT_TRUE(has(listed.err, "1 recording is there that the list does not name")) << listed.err;
  const std::string table = text("o/cohort.csv"), page = text("o/index.html");
  EXPECT_TRUE(has(table, ",deep/er/r0,")) << table;
  EXPECT_TRUE(has(page, "\"link\":\"deep/er/r0/")) << page;
  EXPECT_TRUE(has(page, "8 recordings, 1 of them failed, 1 running, 2 interrupted, 1 missing: ")) << page;
  const auto running = table.find("\nx/r0.csv,,");
  ASSERT_NE(running, table.npos) << table;
  EXPECT_TRUE(has(table.substr(running, table.find('\n', running + 1) - running), ",,running,,,,,")) << table;
}

TEST_F(Cohort, DamagedResultsAndOtherFilesAreNotTakenForLists) {
  ASSERT_EQ(run("o", {"--shard", "0/2"}).status, 7);
  folder_.write("o/r0/summary.json", "{\"versions\": ");
  EXPECT_TRUE(has(cohort("o").out, "2 complete, 2 failed"));
  EXPECT_TRUE(has(text("o/failures.csv"), "summary.json")) << text("o/failures.csv");
  folder_.write("o/cohort.csv", "mine");
  const auto refused = cohort("o");
  EXPECT_EQ(refused.status, 6);
  EXPECT_TRUE(has(refused.err, "cohort.csv: is no list of a batch")) << refused.err;
  EXPECT_EQ(text("o/cohort.csv"), "mine");
  EXPECT_EQ(cohort("o", {"--force"}).status, 0);
  fs::create_directory(path("empty"));
  expect_failure(3, "has no result of `run` or `score`, nor the trace of one", {"cohort", path("empty")});
  expect_failure(3, "is not a folder", {"cohort", path("nothing")});
}

TEST_F(Cohort, ResultsOfRhythmAreLeftOut) {
  EXPECT_EQ(run_program(arguments("o/r0", {path("d/r0.csv"), "--rate", "250"})).status, 0);
  EXPECT_EQ(run_program({"rhythm", path("d/r0.truth.csv"), "--rate", "250", "--out", path("o/beats")}).status, 0);
  const auto listed = cohort("o");
  EXPECT_TRUE(has(listed.out, "1 recording: 1 complete")) << listed.out;
  EXPECT_EQ(text("o/failures.csv"), "input,name,status,message\n");
  expect_failure(3, "has no result of `run` or `score`", {"cohort", path("o/beats")});
}

TEST_F(Cohort, SeveralFoldersAreOneCohort) {
  ASSERT_EQ(run("a", {"--shard", "0/2"}).status, 7);
  ASSERT_EQ(run("b", {"--shard", "1/2"}).status, 7);
  const auto listed = cohort("a", {path("b"), path("a/r0"), "--out", path("lists")});
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_TRUE(has(listed.out, "7 recordings: 5 complete, 2 failed")) << listed.out;
  EXPECT_TRUE(has(text("lists/index.html"), "\"link\":\"../a/r0/report.html\"")) << text("lists/index.html");
  EXPECT_TRUE(has(text("lists/index.html"), "\"link\":\"../b/")) << text("lists/index.html");
}

// A result and the links to it are one recording. A link to a result elsewhere also counts as one.
TEST_F(Cohort, AResultAndLinksToItAreOneRecording) {
  for (const std::string name : {"o/r0", "elsewhere/r1"})
    ASSERT_EQ(
        run_program(arguments(name, {path("d/" + name.substr(name.size() - 2) + ".csv"), "--rate", "250"})).status, 0);
  fs::create_directory_symlink(path("o/r0"), path("o/a_link"));
  fs::create_directory_symlink("r0", path("o/z_link"));
  for (const char* name : {"o/r1", "o/r1_again"}) fs::create_directory_symlink(path("elsewhere/r1"), path(name));
  const auto listed = cohort("o");
  EXPECT_TRUE(has(listed.out, "2 recordings: 2 complete\n")) << listed.out;
  EXPECT_TRUE(has(listed.err, "3 links to results that are listed are left out")) << listed.err;
  const std::string table = text("o/cohort.csv");
  EXPECT_TRUE(has(table, ",r0,")) << table;
  EXPECT_TRUE(has(table, ",r1,")) << table;
  fs::create_directory_symlink(path("o"), path("other_name"));
  EXPECT_TRUE(has(cohort("other_name", {path("o"), path("elsewhere")}).out, "2 recordings: 2 complete\n"));
}

TEST_F(Cohort, AResultThatIsThereIsNoFailure) {
  ASSERT_EQ(run("o").status, 7);
  fs::remove(path("o/cohort.csv"));
  fs::remove(path("o/index.html"));
  const auto result = run("o", {"--shard", "0/2"});
  EXPECT_EQ(result.status, 6) << result.err;
  EXPECT_TRUE(has(result.err, "r0: exists; give --force to replace it")) << result.err;
  EXPECT_TRUE(has(cohort("o").out, "7 recordings: 5 complete, 2 failed"));
}

// With --force, old lists of a batch must not remain beside a batch of failures only.
TEST_F(Cohort, FailuresAloneReplaceTheListsOfAnEarlierBatch) {
  const Arguments all = arguments("o", {path("d/r0.csv"), path("d/r1.csv"), "--rate", "250"});
  ASSERT_EQ(run_program(all).status, 0);
  folder_.write("o/cohort.parquet", "of the earlier batch");  // builds without Arrow write none
  for (const char* name : {"d/r0.csv", "d/r1.csv"}) folder_.write(name, "mV\n1\noops\n");
  Arguments again = all;
  again.emplace_back("--force");
  EXPECT_EQ(run_program(again).status, 3);
  EXPECT_EQ(std::ranges::count(text("o/failures.csv"), '\n'), 3);
  for (const char* list : {"o/cohort.csv", "o/index.html", "o/cohort.parquet"})
    EXPECT_FALSE(fs::exists(path(list))) << list;
  EXPECT_TRUE(fs::exists(path("o/r0/beats.csv"))) << "the earlier result of a recording that fails stays";
}

// `cohort` lists all results, in whatever state.
TEST_F(Cohort, ListsFailuresAlone) {
  for (const char* name : {"d/r0.csv", "d/r1.csv"}) folder_.write(name, "mV\n1\noops\n");
  ASSERT_EQ(run_program(arguments("o", {path("d/r0.csv"), path("d/r1.csv"), "--rate", "250"})).status, 3);
  EXPECT_TRUE(has(cohort("o").out, "2 recordings: 2 failed"));
  EXPECT_EQ(std::ranges::count(text("o/cohort.csv"), '\n'), 3);
  EXPECT_TRUE(has(text("o/index.html"), "2 recordings, 2 of them failed"));
}

// Recordings are trained concurrently, so each line of details names its recording.
TEST_F(Cohort, DetailsNameTheirRecording) {
  const auto result = run_program(arguments("o", {path("d/r0.csv"), path("d/r1.csv"), "--rate", "250", "-v"}));
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* name : {"d/r0.csv", "d/r1.csv"})
    for (const char* epoch : {": epoch 1: loss ", ": epoch 2: loss "})
      EXPECT_TRUE(has(result.err, "{\"level\":\"detail\",\"message\":\"" + path(name) + epoch)) << result.err;
}

// The rate of a list is checked before any work: at 20 Hz no R peak can be detected.
TEST_F(Cohort, ARateOfAListIsOneAtWhichBeatsCanBeFound) {
  folder_.write("d/slow.txt", "input,rate\nr0.csv,250\nr1.csv,20\n");
  const auto result = run_program(arguments("o", {"--list", path("d/slow.txt")}));
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_TRUE(has(result.err, "slow.txt:3: ingest.sample_rate_hz: 20.0 Hz: R peaks can be found at 60.0 to 8000.0 Hz"))
      << result.err;
  EXPECT_FALSE(fs::exists(path("o")));
}

// A single shard is the whole batch, and writes its lists. It must not overwrite those of others.
TEST_F(Cohort, ASingleShardReplacesNoOtherLists) {
  fs::create_directories(path("o"));
  folder_.write("o/index.html", "mine");
  const auto result = run("o", {"--shard", "0/1"});
  EXPECT_EQ(result.status, 6) << result.err;
  EXPECT_EQ(text("o/index.html"), "mine");
}

// Lists written while shards still run do not stop the next shard, which writes none.
TEST_F(Cohort, ListsMayBeMadeBetweenShards) {
  const auto first = run("my o", {"--shard", "0/2"});
  ASSERT_EQ(first.status, 7);
  EXPECT_TRUE(has(first.out, "`beatscan cohort '" + path("my o") + "' --list ")) << first.out;
  ASSERT_EQ(cohort("my o").status, 0);
  const auto second = run("my o", {"--shard", "1/2"});
  EXPECT_EQ(second.err.find("exists"), second.err.npos) << second.err;
  ASSERT_EQ(cohort("my o").status, 0);
  EXPECT_EQ(std::ranges::count(text("my o/cohort.csv"), '\n'), 8);
}

TEST_F(Cohort, DryRunReportsUnreadableInputs) {
  const auto result = run("o", {"--dry-run"});
  EXPECT_EQ(result.status, 7) << result.err;
  const auto plan = nlohmann::json::parse(result.out);
  ASSERT_EQ(plan["recordings"].size(), 7u);
  EXPECT_EQ(plan["recordings"][0]["sample_rate_hz"], 250);
  EXPECT_TRUE(has(plan["recordings"][3]["error"].get<std::string>(), "gone.csv: cannot be read"));
  EXPECT_TRUE(has(result.err, "gone.csv: cannot be read")) << result.err;
  EXPECT_FALSE(fs::exists(path("o")));
}

TEST_F(Cohort, AFolderOfTruthsServesABatch) {
  const auto result = run_program(arguments("o", {path("d/r*[0-9].csv"), "--rate", "250", "--truth", path("d")}));
  EXPECT_EQ(result.status, 0) << result.err;
  for (const std::string name : {"r0", "r1", "r2", "r3"})
    EXPECT_TRUE(nlohmann::json::parse(text("o/" + name + "/summary.json")).contains("evaluation")) << name;
}

TEST_F(Cohort, AListComesFromStandardInput) {
  std::string command = "cd '" + path("d") + "' && ls r?.csv | ";
  for (const auto& word : start_of(program_path())) command += single_quoted(word) + " ";
  command += "run --list - --rate 250 --out '" + path("o") + "' --device cpu --set vae.epochs=2 -q >/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(fs::exists(path("o/r3/beats.csv")));
}

}  // namespace
}  // namespace beatscan
