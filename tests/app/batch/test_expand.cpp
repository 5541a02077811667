#include "app/batch/recording_list.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

class Expand : public testing::Test {
 protected:
  // Returns the names of the recordings that an input in the folder expands to.
  std::string names(const std::string& input) const {
    std::string text;
    for (const auto& path : expanded(folder_.path() / input)) text += (text.empty() ? "" : " ") + seen(path);
    return text;
  }
  std::string seen(const fs::path& path) const { return path.lexically_relative(folder_.path()).string(); }
  void write(const std::string& names) const {
    for (const auto& name : names_in(names)) {
      fs::create_directories((folder_.path() / name).parent_path());
      folder_.write(name, "");
    }
  }
  static std::vector<std::string> names_in(std::string text) {
    std::vector<std::string> names;
    for (std::size_t space; (space = text.find(' ')) != text.npos; text.erase(0, space + 1))
      names.push_back(text.substr(0, space));
    names.push_back(text);
    return names;
  }
  TemporaryFolder folder_;
};

TEST_F(Expand, APathStandsForItself) {
  write("a.csv");
  for (const std::string input : {"a.csv", "nothing.csv", "record"}) EXPECT_EQ(names(input), input);
  EXPECT_EQ(expanded("-"), std::vector<fs::path>{"-"});
}

TEST_F(Expand, AFolderStandsForTheRecordingsInIt) {
  write(
      "d/b.csv d/a.edf d/c.csv.gz d/c.truth.csv d/c.truth.csv.gz d/.hidden.csv d/notes.txt d/r.hea d/r.dat d/r.atr "
      "d/x.bdf.zst d/sub/z.csv d/e.ecg");
  EXPECT_EQ(names("d"), "d/a.edf d/b.csv d/c.csv.gz d/e.ecg d/r.hea d/x.bdf.zst");
}

TEST_F(Expand, SegmentsAreNoRecordingsOfTheirOwn) {
  write("d/m_0001.dat d/m_layout.hea d/m_0001.hea d/other.hea");
  folder_.write("d/m.hea", "# note\nm/3 2 250 1000\nm_layout 0\nm_0001 1000\n~ 10\n");
  EXPECT_EQ(names("d"), "d/m.hea d/other.hea");
}

TEST_F(Expand, ADatabaseSaysItsRecords) {
  write("d/100.hea d/101.hea d/101_part.hea");
  folder_.write("d/RECORDS", "100\r\n101\nsub/\n");
  EXPECT_EQ(names("d"), "d/100 d/101");
}

TEST_F(Expand, APatternStandsForWhatItMatches) {
  write("d/b.csv d/a.csv e/a.csv odd[1].csv odd1.csv");
  EXPECT_EQ(names("*/a.csv"), "d/a.csv e/a.csv");
  EXPECT_EQ(names("d/?.csv"), "d/a.csv d/b.csv");
  EXPECT_EQ(names("odd[1].csv"), "odd[1].csv") << "a file of exactly this name";
}

TEST_F(Expand, APatternLeavesReferencesOut) {
  write("d/a.csv d/a.truth.csv d/b.csv.gz d/b.truth.csv.gz");
  EXPECT_EQ(names("d/*"), "d/a.csv d/b.csv.gz");
  EXPECT_EQ(names("d/*.truth.csv"), "d/a.truth.csv") << "they are requested";
}

TEST_F(Expand, RefusesInputsWithoutRecordings) {
  write("empty/notes.txt");
  expect_error(ErrorKind::input, "no file matches", [&] { names("*.edf"); });
  expect_error(ErrorKind::input, "is a folder without recordings", [&] { names("empty"); });
}

}  // namespace
}  // namespace beatscan
