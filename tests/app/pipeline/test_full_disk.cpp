// Results that cannot be written end the program with status 6 and one line with the file and a remedy. Nothing is left
// behind.
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/paths/paths.h"
#include "tests/support/result_files.h"
#include "tests/support/run_program.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    generate(Cpu(1), {.samples = 10'000, .abnormal_share = 0.1}, folder_.path() / "ecg.csv");
    fs::create_directory(out_);
  }
  Arguments run(const std::string& name, const Arguments& more = {}) const {
    Arguments all = {"run", folder_.path() / "ecg.csv", "--rate", "250", "--set", "vae.epochs=2", "--out", out_ / name};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // Runs the program with a file system that fails from the N-th changing call on.
  ProgramResult with_fault(int error, int call, const Arguments& arguments) const {
    return run_program(
        command_of(arguments, {"LD_PRELOAD=" + faulty_io_path(), "BEATSCAN_FAULT=" + std::to_string(error),
                               "BEATSCAN_FAULT_AT=" + std::to_string(call), "BEATSCAN_FAULT_UNDER=" + out_.string()}));
  }
  static void expect_refused(const ProgramResult& result, const Arguments& parts) {
    EXPECT_EQ(result.status, 6) << result.err;
    const auto errors = error_lines(result);
    ASSERT_EQ(errors.size(), 1u) << result.err;
    for (const auto& part : parts) EXPECT_NE(errors[0].find(part), std::string::npos) << errors[0];
  }
  // Runs the program as a user who may mount: `prepare` sets `$1` up. The folder's list follows the messages.
  ProgramResult in_a_namespace(const std::string& prepare, const Arguments& arguments) const {
    Arguments words = {"unshare",
                       "-rm",
                       "sh",
                       "-c",
                       prepare + "; folder=$1; shift; \"$@\"; status=$?; ls -A \"$folder\"; exit $status",
                       "sh",
                       out_.string()};
    for (const auto& word : command_of(arguments).words) words.push_back(word);
    return run_program(CommandLine{words});
  }
  static std::string no_namespaces() {
    const auto result = run_program(CommandLine{{"unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"}});
    return result.status == 0 ? "" : "a mount of its own is not allowed here: " + result.err;
  }

  TemporaryFolder folder_;
  const fs::path out_ = folder_.path() / "results";
};

// Sixteen files are created, written and synced. The disk is full at each of these calls in turn.
TEST_F(FullDisk, AtAnyCallLeavesNothing) {
  for (const int call : {1, 2, 3, 4, 9, 20, 33, 34, 36, 40, 50}) {
    if (left_out()) continue;
    SCOPED_TRACE(testing::Message() << "call " << call);
    expect_refused(with_fault(ENOSPC, call, run("o")), {(out_ / "o").string(), "No space left", "free some space"});
    EXPECT_TRUE(names_in(out_).empty());
  }
}

TEST_F(FullDisk, LeavesTheEarlierResult) {
  ASSERT_EQ(run_program(run("o", {"--seed", "9"})).status, 0);
  const auto earlier = files_of(out_ / "o");
  for (const int call : {1, 5, 34, 45}) {
    SCOPED_TRACE(testing::Message() << "call " << call);
    expect_refused(with_fault(ENOSPC, call, run("o", {"--force"})), {"No space left"});
    EXPECT_TRUE(files_of(out_ / "o") == earlier);
    EXPECT_EQ(names_in(out_), std::set<std::string>{"o"});
  }
}

TEST_F(FullDisk, ADiskThatFailsIsNoResult) {
  expect_refused(with_fault(EIO, 40, run("o")), {(out_ / "o").string(), "Input/output error"});
  EXPECT_TRUE(names_in(out_).empty());
}

TEST_F(FullDisk, GeneratedFilesAndReportsAreAtomic) {
  for (const int call : {1, 2, 3, 4})
    expect_refused(with_fault(ENOSPC, call, {"generate", "--samples", "1000", "--out", out_ / "g.csv"}),
                   {out_ / "g.", "No space left"});
  EXPECT_TRUE(names_in(out_).empty());
  ASSERT_EQ(run_program(run("o")).status, 0);
  const auto before = files_of(out_ / "o");
  for (const int call : {1, 2, 3}) {
    expect_refused(with_fault(ENOSPC, call, {"report", out_ / "o"}), {"o/report.html", "No space left"});
    EXPECT_TRUE(files_of(out_ / "o") == before);
  }
}

TEST_F(FullDisk, AnAlmostFullFileSystem) {
  if (const auto why = no_namespaces(); !why.empty()) GTEST_SKIP() << why;
  const auto result = in_a_namespace("mount -t tmpfs -o size=300k none \"$1\"", run("o"));
  expect_refused(result, {(out_ / "o/").string(), "No space left on device", "free some space"});
  EXPECT_EQ(result.out, "") << "nothing is left in the folder";
}

TEST_F(FullDisk, AReadOnlyFileSystem) {
  if (const auto why = no_namespaces(); !why.empty()) GTEST_SKIP() << why;
  const auto result = in_a_namespace("mount -t tmpfs -o ro none \"$1\"", run("o"));
  expect_refused(result, {(out_ / "o").string(), "Read-only file system", "check its permissions"});
}

TEST_F(FullDisk, AMountPointIsRefusedAtOnce) {
  if (const auto why = no_namespaces(); !why.empty()) GTEST_SKIP() << why;
  const auto result = in_a_namespace("mount -t tmpfs none \"$1\"", run(""));
  expect_refused(result, {"is a mount point", "give a folder in it"});
}

TEST_F(FullDisk, AFolderWithoutPermission) {
  fs::permissions(out_, fs::perms::owner_read | fs::perms::owner_exec);
  Arguments words;
  if (geteuid() == 0)  // root may write anywhere
    words = {"setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"};
  for (const auto& word : command_of(run("o")).words) words.push_back(word);
  expect_refused(run_program(CommandLine{words}),
                 {(out_ / "o").string(), "Permission denied", "check its permissions"});
  fs::permissions(out_, fs::perms::owner_all);
}

TEST_F(FullDisk, AFileThatMayNotBeSoLarge) {
  Arguments words = {"sh", "-c", "ulimit -f 100; exec \"$@\"", "sh"};
  for (const auto& word : command_of(run("o")).words) words.push_back(word);
  expect_refused(run_program(CommandLine{words}), {(out_ / "o/").string(), "File too large", "ulimit -f"});
  EXPECT_TRUE(names_in(out_).empty());
}

// Printed text is also a result, so a failed write is an error, but a closed pipe is not.
TEST_F(FullDisk, StandardOutput) {
  const auto to = [&](const std::string& redirection, const Arguments& arguments) {
    Arguments words = {"sh", "-c", "\"$@\" " + redirection, "sh"};
    for (const auto& word : command_of(arguments).words) words.push_back(word);
    return run_program(CommandLine{words});
  };
  for (const Arguments& command : {Arguments{"config", "show"}, {"info"}, {"--help"}, {"--version"}, {"man"}})
    for (const char* redirection : {">/dev/full", ">&-"}) {
      SCOPED_TRACE(command[0] + redirection);
      expect_refused(to(redirection, command), {"standard output: cannot be written"});
    }
  EXPECT_EQ(to("| true", {"config", "show"}).err, "");
  expect_refused(to(">/dev/full", run("o")), {"standard output"});
  EXPECT_TRUE(fs::exists(out_ / "o/summary.json")) << "the result is there";
}

// An opened file must not become standard output.
TEST_F(FullDisk, ClosedStreamsAreNotMixedWithFiles) {
  Arguments words = {"sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"};
  for (const auto& word : command_of(run("o")).words) words.push_back(word);
  EXPECT_EQ(run_program(CommandLine{words}).status, 6);
  ASSERT_EQ(run_program(run("p")).status, 0);
  EXPECT_EQ(difference_of_results(out_ / "o", out_ / "p"), "");
}

}  // namespace
}  // namespace beatscan
