#include "app/batch/resume.h"

#include <gtest/gtest.h>

#include "app/report/cohort_table.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

TEST(FailureRecord, NamesWhatFailed) {
  const TemporaryFolder folder;
  const auto result = folder.path() / "a.b";
  write_failure(result, failed_row("in/a.b.csv", "a.b", 3, "in/a.b.csv:3: 'x, \"y' is not a number"));
  EXPECT_EQ(failure_path(result), folder.path() / ".a.b.failed.json");
  const CohortRow row = read_failure(failure_path(result), "a.b");
  EXPECT_EQ(row.input, "in/a.b.csv");
  EXPECT_EQ(row.failure_status, 3);
  EXPECT_EQ(row.failure, "in/a.b.csv:3: 'x, \"y' is not a number");
  EXPECT_EQ(failures_csv({row, {.input = "good", .name = "good"}}),
            "input,name,status,message\nin/a.b.csv,a.b,3,\"in/a.b.csv:3: 'x, \"\"y' is not a number\"\n");
  remove_failure(result);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  remove_failure(result);
}

TEST(FailureRecord, ThatIsDamagedStillCounts) {
  const TemporaryFolder folder;
  for (const char* text : {"", "{", "[]", R"({"input": 1})"}) {
    const auto row = read_failure(folder.write(".x.failed.json", text), "x");
    EXPECT_EQ(row.name, "x");
    EXPECT_EQ(row.state, RecordingState::failed);
    EXPECT_NE(row.failure.find("is damaged"), std::string::npos);
  }
}

}  // namespace
}  // namespace beatscan
