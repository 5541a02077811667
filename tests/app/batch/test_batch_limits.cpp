// Batches at their limits: a disk that fills up, and a list of a hundred thousand lines.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/batch/cohort_test.h"
#include "tests/paths/paths.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

class FullDiskOfABatch : public Cohort {
 protected:
  // Runs the list on a disk that is full from the N-th write to results on.
  ProgramResult run_until_full(int call) const {
    return run("o", {"--in-flight", "1"}, "d/list.csv",
               {"LD_PRELOAD=" + faulty_io_path(), "BEATSCAN_FAULT=" + std::to_string(ENOSPC),
                "BEATSCAN_FAULT_AT=" + std::to_string(call), "BEATSCAN_FAULT_UNDER=" + path("o")});
  }
  static std::size_t lines_with(const std::string& log, const std::string& level, const std::string& part) {
    std::istringstream lines(log);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);)
      count += has(line, "\"level\":\"" + level + "\"") && has(line, part);
    return count;
  }
  std::size_t results() const {
    std::size_t count = 0;
    for (const std::string name : {"r0", "r0-2", "two", "r2", "r3"}) count += fs::exists(path("o/" + name));
    return count;
  }
};

// Earlier results are kept, each failure is reported in one line, and --resume analyses the rest once there is space.
TEST_F(FullDiskOfABatch, LosesNothing) {
  ASSERT_EQ(run("whole").status, 7);
  std::size_t most = 0;
  for (const int call : {1, 100, 250}) {
    SCOPED_TRACE(call);
    fs::remove_all(path("o"));
    const auto full = run_until_full(call);
    EXPECT_EQ(full.status, 6) << full.err;
    const std::size_t complete = results();
    EXPECT_EQ(lines_with(full.err, "error", "No space left on device"), 7 - complete + 1)
        << "one for each that is not complete, and one for the lists\n"
        << full.err;
    EXPECT_LE(lines_with(full.err, "warning", "failures cannot be recorded"), 1u) << full.err;
    most = std::max(most, complete);

    EXPECT_EQ(run("o", {"--resume"}).status, 7);
    expect_same_cohort("whole", "o");
  }
  EXPECT_GT(most, 0u) << "the disk is never full in the middle";
}

// The list names three existing recordings; the others are missing, and 350 are duplicates. One of 20,000 shards has
// five recordings, including r0.
TEST_F(Cohort, AListOfAHundredThousandLines) {
  constexpr int kLines = 100'000, kTwice = 350;
  std::string list = "input,rate\nr0.csv,250\nr1.csv,250\nr2.csv,250\n";
  for (int i = 3; i < kLines; ++i)
    list += "missing" + std::to_string(i < kLines - kTwice ? i : i - kTwice) + ".csv,250\n";
  folder_.write("d/long.csv", list);

  const auto shard = run("o", {"--shard", "19647/20000"}, "d/long.csv");
  EXPECT_EQ(shard.status, 7) << shard.err;
  EXPECT_TRUE(has(shard.err, "350 inputs are listed twice")) << shard.err;
  EXPECT_TRUE(has(shard.err, "5 of 99,650 recordings")) << shard.err;
  EXPECT_TRUE(has(shard.err, "4 of 5 recordings failed")) << shard.err;
  EXPECT_TRUE(fs::exists(path("o/r0/summary.json")));
  const auto all = cohort("o", {"--list", path("d/long.csv")});
  EXPECT_TRUE(has(all.out, "99,650 recordings: 1 complete, 4 failed, 99,645 missing")) << all.out;
}

}  // namespace
}  // namespace beatscan
