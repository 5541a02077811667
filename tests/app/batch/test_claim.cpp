#include "app/batch/resume.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

TEST(Claim, IsOfOneAtATime) {
  const TemporaryFolder folder;
  const fs::path result = folder.path() / "100";
  {
    const auto first = Claim::take(result, "in/100.csv");
    ASSERT_TRUE(first);
    EXPECT_FALSE(Claim::take(result, "in/100.csv"));
    EXPECT_TRUE(Claim::take(folder.path() / "101", "in/101.csv")) << "another recording is free";
    const auto state = claim_state(claim_path(result));
    ASSERT_TRUE(state);
    EXPECT_TRUE(state->held);
    EXPECT_EQ(state->input, "in/100.csv");
    const std::string record = contents_of(claim_path(result));
    EXPECT_NE(record.find("\"process\":" + std::to_string(getpid())), record.npos) << record;
    EXPECT_NE(record.find("\"host\":\""), record.npos) << record;
  }
  EXPECT_TRUE(fs::is_empty(folder.path())) << "given back";
  EXPECT_FALSE(claim_state(claim_path(result)));
  EXPECT_TRUE(Claim::take(result, "in/100.csv"));
}

TEST(Claim, OfAKilledProcessIsFree) {
  const TemporaryFolder folder;
  const fs::path result = folder.path() / "100";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto claim = Claim::take(result, "in/100.csv");
    [[maybe_unused]] const auto written = write(ready[1], claim ? "y" : "n", 1);
    for (;;) pause();
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_FALSE(Claim::take(result, "x"));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const auto left = claim_state(claim_path(result));
  ASSERT_TRUE(left);
  EXPECT_FALSE(left->held);
  EXPECT_EQ(left->input, "in/100.csv");
  EXPECT_TRUE(Claim::take(result, "x"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  close(ready[0]);
  close(ready[1]);
}

// Many threads take and release one claim. At no time do two have it, even if one removes the file that another has
// just opened.
TEST(Claim, IsNeverOfTwo) {
  const TemporaryFolder folder;
  std::atomic<int> holders = 0, most = 0, taken = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 300; ++k)
        if (const auto claim = Claim::take(folder.path() / "100", "x")) {
          most = std::max<int>(most, ++holders);
          ++taken;
          --holders;
        }
    });
  threads.clear();
  EXPECT_EQ(most, 1);
  EXPECT_GT(taken, 0);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Claim, LiesBesideTheResult) { EXPECT_EQ(claim_path("o/x.y"), "o/.x.y.claim"); }

}  // namespace
}  // namespace beatscan
