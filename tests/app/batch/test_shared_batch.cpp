// Several processes and one batch: each recording is analysed once, and each process reports the outcome of all.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "app/batch/resume.h"
#include "tests/app/batch/cohort_test.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Processes with the same work share it: a claimed recording is left to the process that has the claim.
TEST_F(Cohort, TwoProcessesDoNotMakeTheSame) {
  ASSERT_EQ(run("whole").status, 7);
  const std::vector<std::string> same =
      arguments("o", {"--list", path("d/list.csv"), "--resume", "--set", "vae.epochs=2"});
  RunningProgram one(same), other(same);
  const auto first = one.wait(), second = other.wait();
  for (const auto* result : {&first, &second})
    EXPECT_TRUE(result->status == 7 || result->status == 0 || result->status == 3) << result->err;
  ASSERT_EQ(cohort("o", {"--list", path("d/list.csv")}).status, 0);
  expect_same_cohort("whole", "o");
  for (const auto& name : names_in(path("o"))) EXPECT_FALSE(name.ends_with(".claim")) << name;
}

TEST_F(Cohort, AClaimedRecordingIsLeft) {
  fs::create_directory(path("o"));
  const auto claim = Claim::take(path("o/r3"), "r3.csv");
  const auto result = run("o");
  EXPECT_TRUE(has(result.err, "r3: another process is analysing it, so it is skipped")) << result.err;
  EXPECT_TRUE(has(result.err, "1 recording is still being made by another process")) << result.err;
  EXPECT_FALSE(fs::exists(path("o/r3")));
  EXPECT_TRUE(has(text("o/cohort.csv"), ",running,,,,,"));
}

// A recording that another process has claimed is left to it. This test holds the claim, and releases it while the
// batch waits for its other recording, which comes through a pipe.
class LeftToAnother : public Cohort {
 protected:
  template <class End>
  ProgramResult run_concurrently(const End& end_of_claim) {
    EXPECT_EQ(mkfifo(path("d/slow.csv").c_str(), 0600), 0);
    folder_.write("d/two.csv", "input,rate\nr3.csv,250\nslow.csv,250\n");
    fs::create_directory(path("o"));
    auto claim = Claim::take(path("o/r3"), path("d/r3.csv"));
    RunningProgram batch(arguments("o", {"--list", path("d/two.csv"), "--in-flight", "2"}));
    EXPECT_TRUE(batch.says_on_stderr("r3: another process is analysing it, so it is skipped"));
    end_of_claim();
    claim.reset();
    folder_.write("d/slow.csv", text("d/r2.csv"));
    return batch.wait();
  }
};

TEST_F(LeftToAnother, WhatFailsThereHasFailed) {
  const auto result = run_concurrently(
      [&] { write_failure(path("o/r3"), failed_row(path("d/r3.csv"), "r3", 4, "r3.csv: is too short")); });
  EXPECT_EQ(result.status, 7) << result.err;
  EXPECT_TRUE(has(result.err, "\"message\":\"r3.csv: is too short\"")) << result.err;
  EXPECT_TRUE(has(result.err, "\"done\":2,\"of\":2,\"kept\":0,\"failed\":1")) << result.err;
  EXPECT_TRUE(has(result.err, "1 of 2 recordings failed")) << result.err;
  EXPECT_FALSE(has(result.err, "still being made")) << result.err;
  const std::string failures = text("o/failures.csv"), table = text("o/cohort.csv");
  EXPECT_EQ(failures, "input,name,status,message\n" + path("d/r3.csv") + ",r3,4,r3.csv: is too short\n");
  ASSERT_EQ(cohort("o").status, 0);
  EXPECT_EQ(text("o/failures.csv"), failures);
  EXPECT_EQ(text("o/cohort.csv"), table);
}

// A process writes the failure record, and then releases its claim. In between, the recording counts as failed. A
// failure record older than the claim is from an earlier run.
TEST_F(Cohort, AFailureOfTheProcessThatHasTheClaimCounts) {
  fs::create_directory(path("o"));
  write_failure(path("o/r3"), failed_row(path("d/r3.csv"), "r3", 4, "r3.csv: is too short"));
  const auto claim = Claim::take(path("o/r3"), path("d/r3.csv"));
  const auto claimed = fs::last_write_time(claim_path(path("o/r3")));
  for (const int later : {-10, 10}) {
    fs::last_write_time(failure_path(path("o/r3")), claimed + std::chrono::seconds(later));
    EXPECT_TRUE(has(cohort("o").out, later > 0 ? "1 recording: 1 failed" : "1 recording: 1 running")) << later;
  }
}

TEST_F(LeftToAnother, WhatIsDroppedThereIsNotDone) {
  const auto result = run_concurrently([] {});
  EXPECT_EQ(result.status, 7) << result.err;
  EXPECT_TRUE(has(result.err, "r3: the process that analysed it ended early")) << result.err;
  EXPECT_FALSE(has(result.err, "still being made")) << result.err;
  EXPECT_TRUE(has(text("o/cohort.csv"), ",interrupted,")) << text("o/cohort.csv");
}

// One shard of four is killed after its first recording, and continues with --resume.
TEST_F(Cohort, AKilledShardIsResumed) {
  ASSERT_EQ(run("whole").status, 7);
  const auto shard = [&](const std::string& which) {
    return arguments("o", {"--list", path("d/list.csv"), "--shard", which, "--resume"});
  };
  RunningProgram killed(shard("2/4"));
  const auto one_is_done = [&] { return fs::exists(path("o/r0")) || fs::exists(path("o/two")); };
  for (int i = 0; i < 20'000 && !one_is_done(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(one_is_done());
  killed.send(SIGKILL);
  killed.wait();
  for (const char* which : {"0/4", "1/4", "3/4"}) run_program(shard(which));
  const std::string states = cohort("o", {"--list", path("d/list.csv")}).out;
  EXPECT_TRUE(has(states, "7 recordings: ")) << states;
  run_program(shard("2/4"));
  ASSERT_EQ(cohort("o", {"--list", path("d/list.csv")}).status, 0);
  expect_same_cohort("whole", "o");
  for (const auto& name : names_in(path("o")))
    EXPECT_TRUE(!name.starts_with(".") || name.ends_with(".failed.json")) << name;
}

}  // namespace
}  // namespace beatscan
