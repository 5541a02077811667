#include "app/output/output_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Lists everything in a folder, including hidden files.
std::set<std::string> entries_of(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    names.insert(fs::relative(entry.path(), folder).string());
  return names;
}

class OutputFolderTest : public testing::Test {
 protected:
  // Returns the summary.json of a result of this program.
  static std::string summary(const std::string& seed) {
    return R"({"versions": {"beatscan": "1.0"}, "seed": )" + seed + "}";
  }
  void write_result(const fs::path& target, const std::string& content, bool force = false) {
    OutputFolder output(target, force);
    output.write("summary.json", summary(content));
    output.commit();
  }
  void expect_refused(const std::string& part, const fs::path& target, bool force = false) {
    const auto before = entries_of(folder_.path());
    expect_error(ErrorKind::output, part, [&] { OutputFolder(target, force); });
    expect_error(ErrorKind::output, part, [&] { check_output_folder(target, force); });
    EXPECT_EQ(entries_of(folder_.path()), before);
  }
  TemporaryFolder folder_;
  const fs::path target_ = folder_.path() / "o";
};

TEST_F(OutputFolderTest, AppearsWholeAtCommit) {
  OutputFolder output(target_, false);
  output.write("a.txt", "A");
  output.write("arrays/b.npy", "B");
  EXPECT_FALSE(fs::exists(target_));
  output.commit();
  EXPECT_EQ(entries_of(folder_.path()), (std::set<std::string>{"o", "o/a.txt", "o/arrays", "o/arrays/b.npy"}));
  EXPECT_EQ(contents_of(target_ / "arrays/b.npy"), "B");
}

TEST_F(OutputFolderTest, AFileIsWrittenPieceByPiece) {
  OutputFolder output(target_, false);
  output.write_by("some.txt", [](const OutputFolder::Append& append) {
    for (const char* piece : {"a", "", "bc"}) append(piece);
  });
  output.write_by("none.txt", [](const OutputFolder::Append&) {});
  output.commit();
  EXPECT_EQ(contents_of(target_ / "some.txt"), "abc");
  EXPECT_EQ(contents_of(target_ / "none.txt"), "");
}

TEST_F(OutputFolderTest, PartsFollowEachOther) {
  OutputFolder output(target_, false);
  output.write_parts("some.txt", std::vector<std::string_view>{"a", "", "bc"});
  output.write_parts("none.txt", {});
  output.commit();
  EXPECT_EQ(contents_of(target_ / "some.txt"), "abc");
  EXPECT_TRUE(fs::exists(target_ / "none.txt"));
  EXPECT_EQ(contents_of(target_ / "none.txt"), "");
}

TEST_F(OutputFolderTest, WithoutCommitNothingIsLeft) {
  {
    OutputFolder output(target_, false);
    output.write("a.txt", "A");
  }
  EXPECT_TRUE(entries_of(folder_.path()).empty());
}

TEST_F(OutputFolderTest, MakesParentsAndTakesThemBack) {
  const fs::path deep = folder_.path() / "a/b/o";
  { OutputFolder output(deep, false); }
  EXPECT_TRUE(entries_of(folder_.path()).empty());
  write_result(deep, "1");
  { OutputFolder output(folder_.path() / "a/c/o", false); }
  EXPECT_EQ(entries_of(folder_.path()), (std::set<std::string>{"a", "a/b", "a/b/o", "a/b/o/summary.json"}));
}

TEST_F(OutputFolderTest, ATrailingSlashMeansTheSameFolder) {
  write_result(target_.string() + "/", "1");
  EXPECT_EQ(contents_of(target_ / "summary.json"), summary("1"));
}

TEST_F(OutputFolderTest, AnEmptyFolderMayBeFilled) {
  fs::create_directory(target_);
  write_result(target_, "1");
  EXPECT_EQ(contents_of(target_ / "summary.json"), summary("1"));
}

TEST_F(OutputFolderTest, AnExistingResultIsReplacedOnlyByForce) {
  write_result(target_, "1");
  folder_.write("o/quality.csv", "of the first result");
  expect_refused("o: exists; give --force", target_);
  EXPECT_EQ(contents_of(target_ / "summary.json"), summary("1"));
  write_result(target_, "2", true);
  EXPECT_EQ(entries_of(folder_.path()), (std::set<std::string>{"o", "o/summary.json"}));
  EXPECT_EQ(contents_of(target_ / "summary.json"), summary("2"));
}

TEST_F(OutputFolderTest, WithForceTheOldResultStaysUntilCommit) {
  write_result(target_, "1");
  {
    OutputFolder output(target_, true);
    output.write("summary.json", "2");
  }
  EXPECT_EQ(contents_of(target_ / "summary.json"), summary("1"));
}

TEST_F(OutputFolderTest, ForceReplacesNothingButResults) {
  fs::create_directory(target_);
  folder_.write("o/thesis.tex", "");
  expect_refused("is not an earlier result", target_, true);
  expect_refused("exists and is not a folder", folder_.write("file", ""), true);
}

// A folder is kept if it holds a user's notes, the recording itself, or a summary.json of another program.
TEST_F(OutputFolderTest, ForceReplacesNoResultThatHoldsMoreThanThat) {
  write_result(target_, "1");
  fs::create_directories(target_ / "arrays");
  for (const char* name : {"thesis.txt", "ecg.csv", "arrays/notes.txt", ".hidden"}) {
    folder_.write(std::string("o/") + name, "");
    expect_refused(std::string("it holds ") + name, target_, true);
    fs::remove(target_ / name);
  }
  fs::create_directory(target_ / "mine");
  expect_refused("it holds mine", target_, true);
  fs::remove(target_ / "mine");
  for (const char* name :
       {"beats.csv", "abnormal.csv", "waves.csv", "a.vae", "a.waves", "a_mqc.json", "report.html", "arrays/signal.npy"})
    folder_.write(std::string("o/") + name, "");
  write_result(target_, "2", true);
  for (const char* other : {"", "{", "[1]", R"({"my": "project"})", R"({"versions": 1})"}) {
    folder_.write("o/summary.json", other);
    expect_refused("summary.json is not from beatscan", target_, true);
  }
}

TEST_F(OutputFolderTest, NeedsANameOfItsOwn) {
  for (const fs::path target : {"", ".", "..", "a/..", "./"}) expect_refused("name a separate folder", target);
  expect_refused("", "/", true);
}

TEST_F(OutputFolderTest, WhatCannotBeMadeIsAnErrorAtOnce) {
  folder_.write("file", "");
  fs::create_directory_symlink("nowhere", folder_.path() / "link");
  const auto before = entries_of(folder_.path());
  expect_error(ErrorKind::output, "link/o: cannot be made",
               [&] { check_output_folder(folder_.path() / "link/o", false); });
  expect_error(ErrorKind::output, "file/o: cannot be made", [&] { OutputFolder(folder_.path() / "file/o", false); });
  expect_error(ErrorKind::output, "/proc/o: cannot be made", [] { OutputFolder("/proc/o", false); });
  EXPECT_EQ(entries_of(folder_.path()), before);
}

TEST_F(OutputFolderTest, AFileThatCannotBeWrittenIsNamed) {
  OutputFolder output(target_, false);
  output.write("a.txt", "A");
  expect_error(ErrorKind::output, "a.txt", [&] { output.write("a.txt/b.txt", "B"); });
}

TEST_F(OutputFolderTest, AResultThatAppearedMeanwhileIsKept) {
  OutputFolder output(target_, false);
  output.write("summary.json", "late");
  fs::create_directory(target_);
  folder_.write("o/summary.json", "first");
  expect_error(ErrorKind::output, "o: exists", [&] { output.commit(); });
  EXPECT_EQ(contents_of(target_ / "summary.json"), "first");
}

TEST_F(OutputFolderTest, RemainsOfAKilledProgramAreNotTakenOver) {
  const fs::path remains = folder_.path() / (".o.partial-" + std::to_string(getpid()));
  fs::create_directory(remains);
  folder_.write(remains.filename().string() + "/old.txt", "");
  write_result(target_, "1");
  EXPECT_EQ(entries_of(folder_.path()), (std::set<std::string>{"o", "o/summary.json"}));
}

}  // namespace
}  // namespace beatscan
