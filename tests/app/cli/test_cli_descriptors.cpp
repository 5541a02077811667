// The real program with few file descriptors: in no case does it leave partial output.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

class CliDescriptors : public testing::TestWithParam<int> {
 protected:
  void expect_nothing_half_written(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"sh", "-c", "ulimit -n " + std::to_string(GetParam()) + "; exec \"$@\"", "sh"};
    for (const auto& word : command_of(arguments).words) words.push_back(word);
    const auto result = run_program(CommandLine{words});
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      EXPECT_FALSE(entry.path().filename().string().starts_with('.')) << entry.path() << "\n" << result.err;
    EXPECT_EQ(fs::exists(out_ / "summary.json"), result.status == 0 || had_result_) << result.err;
    had_result_ = fs::exists(out_ / "summary.json");
  }

  TemporaryFolder folder_;
  const fs::path out_ = folder_.path() / "o";
  bool had_result_ = false;
};

INSTANTIATE_TEST_SUITE_P(Of, CliDescriptors, testing::Values(4, 5, 6, 7));

TEST_P(CliDescriptors, ARunLeavesAResultOrNothing) {
  const auto input = (folder_.path() / "ecg.csv").string();
  generate(Cpu(1), {.samples = 5000}, input);
  const std::vector<std::string> run = {"run",         input,      "--rate",       "250",       "--out",
                                        out_.string(), "--device", "cpu",          "--threads", "1",
                                        "--no-report", "--set",    "vae.epochs=1", "--force"};
  expect_nothing_half_written(run);
  if (!had_result_) {
    ASSERT_EQ(run_program(run).status, 0);
  }
  had_result_ = true;
  expect_nothing_half_written(run);
}

// With 24 descriptors eight recordings at a time could not all open their files.
TEST(CliDescriptorsOfABatch, FewerRecordingsAreTakenAtATime) {
  const TemporaryFolder folder;
  std::vector<std::string> words = {"sh", "-c", "ulimit -n 24; exec \"$@\"", "sh"};
  std::vector<std::string> run = {"run",      "--rate", "250",         "--out", (folder.path() / "o").string(),
                                  "--device", "cpu",    "--threads",   "8",     "--in-flight",
                                  "8",        "--set",  "vae.epochs=1"};
  for (int i = 0; i < 12; ++i) {
    run.push_back((folder.path() / (std::to_string(i) + ".csv")).string());
    generate(Cpu(1), {.samples = 15000}, run.back());
  }
  for (const auto& word : command_of(run).words) words.push_back(word);
  const auto result = run_program(CommandLine{words});
  EXPECT_EQ(result.status, 0) << result.err;
}

}  // namespace
}  // namespace beatscan
