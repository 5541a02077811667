#include "app/batch/recordings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <random>
#include <set>
#include <string>

#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Returns the names by input, for a list with these lines.
std::map<std::string, std::string> names_of(const std::vector<std::string>& inputs) {
  std::vector<ListedRecording> recordings;
  for (const auto& input : inputs) recordings.push_back({.input = input});
  give_names(recordings, "list");
  std::map<std::string, std::string> names;
  for (const auto& recording : recordings) names[recording.input.string()] = recording.name;
  return names;
}

TEST(Names, AreThoseOfTheInputs) {
  const auto names = names_of({"x/a.csv", "b.csv.gz", "c.edf", "d.hea", "x/100", "e.bdf.zst", "...csv", ".h.csv"});
  EXPECT_EQ(names.at("x/a.csv"), "a");
  EXPECT_EQ(names.at("b.csv.gz"), "b");
  EXPECT_EQ(names.at("c.edf"), "c");
  EXPECT_EQ(names.at("d.hea"), "d");
  EXPECT_EQ(names.at("x/100"), "100");
  EXPECT_EQ(names.at("e.bdf.zst"), "e");
  EXPECT_EQ(names.at(".h.csv"), "_.h") << "a hidden name would not be seen";
}

TEST(Names, DoNotDependOnTheOrder) {
  std::vector<std::string> inputs = {"b/x.csv", "a/x.csv", "c/x.edf", "x-2.csv", "y.csv", "index.html.csv", "d/x"};
  const auto names = names_of(inputs);
  EXPECT_EQ(names.at("a/x.csv"), "x");
  EXPECT_EQ(names.at("b/x.csv"), "x-3") << "x-2 is the name of another input";
  EXPECT_EQ(names.at("c/x.edf"), "x-4");
  EXPECT_EQ(names.at("d/x"), "x-5");
  EXPECT_EQ(names.at("x-2.csv"), "x-2");
  EXPECT_EQ(names.at("index.html.csv"), "index.html-2") << "a batch has a file of the name";
  std::mt19937 random(7);
  for (int i = 0; i < 20; ++i) {
    std::ranges::shuffle(inputs, random);
    EXPECT_EQ(names_of(inputs), names);
  }
}

TEST(Names, AreCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 70; ++i) name += "\u5fc3";  // three bytes each
  EXPECT_EQ(names_of({name + ".csv"}).at(name + ".csv"), name.substr(0, 189));
}

TEST(Names, OfAListComeFirst) {
  std::vector<ListedRecording> recordings = {{.input = "a.csv"}, {.input = "b.csv", .name = "a", .line = 2}};
  give_names(recordings, "list");
  EXPECT_EQ(recordings[0].name, "a-2");
  EXPECT_EQ(recordings[1].name, "a");
  recordings.push_back({.input = "c.csv", .name = "a", .line = 9});
  expect_error(ErrorKind::input, "list:9: the name 'a' is already used in line 2",
               [&] { give_names(recordings, "list"); });
}

// A hundred thousand inputs of one name: the work for each must not grow with their number.
TEST(Names, OfAHundredThousandTakeNoTime) {
  std::vector<ListedRecording> recordings(100'000);
  for (std::size_t i = 0; i < recordings.size(); ++i) recordings[i].input = std::to_string(i) + "/ecg.csv";
  const std::clock_t start = std::clock();  // processor time, because the machine may be busy
  give_names(recordings, "list");
  EXPECT_LT(std::clock() - start, 20 * CLOCKS_PER_SEC);
  std::set<std::string> names;
  for (const auto& recording : recordings) names.insert(recording.name);
  EXPECT_EQ(names.size(), recordings.size());
}

class RecordingsOf : public testing::Test {
 protected:
  Recordings of_list(const std::string& text, const fs::path& truth = {}) const {
    return recordings_of({.inputs = {}, .list = folder_.write("list.csv", text), .truth = truth});
  }
  fs::path path(const std::string& name) const { return folder_.path() / name; }
  TemporaryFolder folder_;
};

TEST_F(RecordingsOf, OneInputIsNoBatch) {
  EXPECT_FALSE(recordings_of({.inputs = {"a.csv"}, .list = {}, .truth = {}}).batch);
  EXPECT_TRUE(recordings_of({.inputs = {"a.csv", "b.csv"}, .list = {}, .truth = {}}).batch);
  const auto once = recordings_of({.inputs = {"a.csv", fs::absolute("a.csv")}, .list = {}, .truth = {}});
  EXPECT_EQ(once.all.size(), 1U) << "a relative and an absolute path of one file";
  const auto expanded =
      recordings_of({.inputs = {"a.csv", "a.truth.csv", "b.csv", "b.truth.csv"}, .list = {}, .truth = {}});
  EXPECT_EQ(expanded.all.size(), 2U) << "a shell expanded *.csv";
  EXPECT_EQ(expanded.warnings.size(), 1U);
  EXPECT_EQ(recordings_of({.inputs = {"a.truth.csv"}, .list = {}, .truth = {}}).all.size(), 1U);
  EXPECT_TRUE(of_list("a.csv\n").batch);
  folder_.write("a.csv", "");
  EXPECT_TRUE(recordings_of({.inputs = {path("*.csv")}, .list = {}, .truth = {}}).batch)
      << "tomorrow it may match more";
  expect_error(ErrorKind::usage, "input is required", [] { recordings_of({}); });
}

TEST_F(RecordingsOf, WhatStandsTwiceIsTakenOnceAndCounted) {
  const auto recordings = of_list("a.csv\nr\n./a.csv\nr.hea\nx/../a.csv\nb.csv\n");
  ASSERT_EQ(recordings.all.size(), 3u);
  ASSERT_EQ(recordings.warnings.size(), 1u);
  EXPECT_NE(recordings.warnings[0].find("3 inputs are listed twice and are analysed once"), std::string::npos);
  EXPECT_NE(recordings.warnings[0].find("a.csv in line 3"), std::string::npos) << recordings.warnings[0];
  EXPECT_EQ(of_list("input,rate\na.csv,250\na.csv,500\n").all.size(), 2u) << "another rate is a different analysis";
  EXPECT_EQ(of_list("input,name\na.csv,x\na.csv,y\n").all.size(), 2u);
  EXPECT_EQ(of_list("input,truth\na.csv,t.csv\na.csv,x/../t.csv\n").all.size(), 1u);
  for (const char* name : {"r", "x.csv"}) {
    folder_.write(name, "");
    EXPECT_EQ(of_list(std::string(name) + "\n" + name + ".hea\n").all.size(), 2u) << "a file of its own";
  }
}

// The first one by path keeps the name, and paths do not depend on the current folder.
TEST_F(RecordingsOf, NamesDoNotDependOnTheCurrentFolder) {
  fs::create_directories(path("p/b"));
  fs::create_directory(path("z"));
  folder_.write("p/list.txt", "b/x.csv\n../z/x.csv\n");
  const auto current = fs::current_path();
  const auto names_seen_from = [&](const std::string& folder, const std::string& list) {
    fs::current_path(path(folder));
    const auto recordings = recordings_of({.inputs = {}, .list = list, .truth = {}});
    fs::current_path(current);
    return std::vector{recordings.all[0].name, recordings.all[1].name};
  };
  EXPECT_EQ(names_seen_from("p", "list.txt"), (std::vector<std::string>{"x", "x-2"}));
  EXPECT_EQ(names_seen_from("", "p/list.txt"), (std::vector<std::string>{"x", "x-2"}));
  fs::create_directory_symlink("p", path("a_link"));
  EXPECT_EQ(names_seen_from("", "a_link/list.txt"), (std::vector<std::string>{"x", "x-2"}));
  EXPECT_EQ(names_seen_from("a_link", "list.txt"), (std::vector<std::string>{"x", "x-2"}));
}

// The parent folder of a link is that of its target.
TEST_F(RecordingsOf, ALinkLeadsToWhatItNames) {
  fs::create_directories(path("real/lists"));
  folder_.write("real/a.csv", "of the list");
  folder_.write("a.csv", "beside the link");
  fs::create_directory_symlink("real/lists", path("lists"));
  folder_.write("real/lists/all.txt", "../a.csv\n");
  const auto of_the_list = recordings_of({.inputs = {}, .list = path("lists/all.txt"), .truth = {}});
  EXPECT_EQ(contents_of(of_the_list.all.at(0).input), "of the list");
  const auto both = recordings_of({.inputs = {path("lists/../a.csv"), path("a.csv")}, .list = {}, .truth = {}});
  EXPECT_EQ(both.all.size(), 2u) << "two files";
}

TEST_F(RecordingsOf, ListsOfABatchAreNoRecordings) {
  for (const char* name : {"a.csv", "cohort.csv", "failures.csv", "cohort.parquet"}) folder_.write(name, "");
  EXPECT_EQ(recordings_of({.inputs = {folder_.path()}, .list = {}, .truth = {}, .out = folder_.path()}).all.size(), 1u);
  EXPECT_EQ(recordings_of({.inputs = {path("*.csv")}, .list = {}, .truth = {}, .out = folder_.path()}).all.size(), 1u);
  EXPECT_EQ(recordings_of({.inputs = {folder_.path()}, .list = {}, .truth = {}, .out = path("o")}).all.size(), 4u);
  expect_error(ErrorKind::input, "has no recording, but only lists of a batch",
               [&] { recordings_of({.inputs = {path("cohort*")}, .list = {}, .truth = {}, .out = folder_.path()}); });
}

TEST_F(RecordingsOf, ListsOfAnEarlierBatchAreNoRecordings) {
  folder_.write("a.csv", "1\n2\n");
  folder_.write("cohort.csv", "recording,folder,failure,beats\na,a,,9\n");
  folder_.write("failures.csv", "input,name,status,message\n");
  const Recordings found = recordings_of({.inputs = {folder_.path()}, .list = {}, .truth = {}, .out = path("o")});
  ASSERT_EQ(found.all.size(), 1u);
  EXPECT_EQ(found.all[0].input.filename(), "a.csv");
  folder_.write("cohort.parquet", "PAR1");
  EXPECT_EQ(recordings_of({.inputs = {folder_.path()}, .list = {}, .truth = {}}).all.size(), 1u);
  fs::remove(path("a.csv"));
  expect_error(ErrorKind::input, "has no recording, but only lists of a batch",
               [&] { recordings_of({.inputs = {folder_.path()}, .list = {}, .truth = {}, .out = path("o")}); });
  folder_.write("cohort.csv", "lead_I\n1\n2\n");
  fs::remove(path("failures.csv"));
  EXPECT_EQ(recordings_of({.inputs = {folder_.path()}, .list = {}, .truth = {}, .out = path("o")}).all.size(), 2u)
      << "recordings of these names are no lists";
}

TEST_F(RecordingsOf, ATruthIsFoundByName) {
  fs::create_directory(path("truth"));
  for (const char* name : {"truth/a.atr", "truth/a.csv", "truth/b.truth.csv", "truth/mine.csv", "truth/d.csv"})
    folder_.write(name, "");
  const auto recordings =
      of_list("input,name,truth\na.csv,,\nb.csv,,\nc.csv,mine,\nd.csv,,other.atr\ne.csv,,\n", path("truth"));
  EXPECT_EQ(recordings.all[0].truth, path("truth/a.atr"));
  EXPECT_EQ(recordings.all[1].truth, path("truth/b.truth.csv"));
  EXPECT_EQ(recordings.all[2].truth, path("truth/mine.csv"));
  EXPECT_EQ(recordings.all[3].truth, path("other.atr")) << "the list wins";
  EXPECT_EQ(recordings.all[4].truth, "");
  ASSERT_EQ(recordings.warnings.size(), 1u);
  EXPECT_NE(recordings.warnings[0].find("1 of 4 recordings has no annotations there, such as e"), std::string::npos)
      << recordings.warnings[0];
}

TEST_F(RecordingsOf, ATruthThatMayBeOfAnotherRecordingIsRefused) {
  fs::create_directory(path("truth"));
  folder_.write("truth/100.atr", "");
  expect_error(ErrorKind::usage, "several recordings are called 100",
               [&] { of_list("a/100\nb/100\n", path("truth")); });
  EXPECT_EQ(of_list("input,name\na/100,100\nb/100,b100\n", path("truth")).all[0].truth, path("truth/100.atr"));
  expect_error(ErrorKind::usage, "several recordings are called 100",
               [&] { of_list("input,name\n99,100\n100,\n", path("truth")); });
  expect_error(ErrorKind::usage, "has no NAME.atr, NAME.truth.csv or NAME.csv of any recording, as of 7",
               [&] { of_list("7\n8\n", path("truth")); });
  expect_error(ErrorKind::usage, "a file goes with one recording", [&] { of_list("7\n8\n", path("truth/100.atr")); });
}

TEST_F(RecordingsOf, ARecordingIsNotItsOwnTruth) {
  folder_.write("a.csv", "");
  expect_error(ErrorKind::usage, "of any recording", [&] { of_list("a.csv\n", folder_.path()); });
  folder_.write("a.truth.csv", "");
  EXPECT_EQ(of_list("a.csv\n", folder_.path()).all[0].truth, path("a.truth.csv"));
}

TEST_F(RecordingsOf, SeveralShareNoNameAndNoTruth) {
  folder_.write("a.csv", "");
  folder_.write("b.csv", "");
  expect_error(ErrorKind::input, "x*' matches several recordings, which cannot share a name", [&] {
    folder_.write("x1.csv", "");
    recordings_of({.inputs = {}, .list = folder_.write("list.txt", "input,name\nx*,mine\n"), .truth = {}});
  });
  EXPECT_EQ(of_list("input,rate\n[ab].csv,250\n").all[1].sample_rate_hz, 250);
}

}  // namespace
}  // namespace beatscan
