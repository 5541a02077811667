// The real program: options that change what a result has. --hrv-window, --nn, --events, --only, --deidentify.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/common/json.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/stages/io/edf/edf_bytes.h"
#include "tests/support/result_files.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

std::vector<std::string> rows_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

class CliResultOptions : public testing::Test {
 protected:
  static constexpr int kRate = 250, kSamples = 30'000;  // two minutes

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string text(const std::string& name) const { return contents_of(path(name)); }
  std::string recording() const {
    if (!fs::exists(path("ecg.csv"))) generate(Cpu(1), {.samples = kSamples, .abnormal_share = 0.1}, path("ecg.csv"));
    return path("ecg.csv");
  }
  // The same recording as EDF+ of a patient, from 23 July 2019, 22:30 on.
  std::string of_a_patient(const std::string& name) const {
    Edf edf{.signals = {{.samples = kRate}}, .start = "23.07.1922.30.00"};
    std::vector<int> values;
    std::ifstream file(recording());
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) values.push_back(static_cast<int>(std::lround(std::stod(line) * 6000)));
    values.resize(values.size() / kRate * kRate);
    std::string bytes = bytes_of(edf, values);
    bytes.replace(8, 80, field("77-1234 M 03-MAR-1950 Zacharias_Quill", 80));
    fs::create_directories(fs::path(path(name)).parent_path());
    return folder_.write(name, bytes).string();
  }
  ProgramResult run(const std::string& out, Arguments more) const {
    Arguments arguments = {"run", "--out", path(out), "--device", "cpu", "--model", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  // Returns the files below a folder that have a text, or whose names have it.
  std::string holding(const std::string& out, const std::string& part) const {
    std::string found;
    for (const auto& entry : fs::recursive_directory_iterator(path(out))) {
      const std::string name = entry.path().lexically_relative(path(out)).string();
      if (name.find(part) != name.npos) found += name + " (name) ";
      if (entry.is_regular_file() && contents_of(entry.path()).find(part) != std::string::npos) found += name + " ";
    }
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(CliResultOptions, HeartRateVariabilityInWindows) {
  const auto diary = folder_.write("diary.csv", "time,text\n30,stairs\n500,too late\n");
  const auto result =
      run("o", {recording(), "--rate", "250", "--hrv-window", "0.5min", "--nn", "--events", diary.string()});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto rows = rows_in(text("o/hrv.csv"));
  ASSERT_EQ(rows.size(), 1U + 3 + 4 + 1);
  EXPECT_TRUE(rows[4].starts_with("0.000000,30.000000,window,")) << rows[4];
  EXPECT_TRUE(rows[8].starts_with("15.000000,45.000000,event,") && rows[8].ends_with(",stairs")) << rows[8];
  const Json summary = Json::parse(text("o/summary.json"));
  EXPECT_EQ(rows_in(text("o/nn.csv")).size(), 1U + summary["findings"]["hrv"]["intervals"].get<std::size_t>());
  ASSERT_EQ(summary["events"].size(), 1U);
  EXPECT_EQ(summary["events"][0]["text"], "stairs");
  EXPECT_NE(result.err.find("1 event of the diary lies outside of the recording"), result.err.npos) << result.err;
  EXPECT_EQ(Json::parse(text("o/config.json"))["hrv"]["window"], 30.0);
  const auto plain = run("p", {recording(), "--rate", "250"});
  ASSERT_EQ(plain.status, 0) << plain.err;
  EXPECT_EQ(rows_in(text("p/hrv.csv")).size(), 4U);
  EXPECT_EQ(rows_in(text("p/hrv.csv"))[1], rows[1]);
  EXPECT_FALSE(fs::exists(path("p/nn.csv")));
  EXPECT_EQ(text("p/beats.csv"), text("o/beats.csv"));
}

TEST_F(CliResultOptions, BeatsOfSomeClasses) {
  const Arguments input = {recording(), "--rate", "250"};
  ASSERT_EQ(run("all", input).status, 0);
  const auto result = run("v", {recording(), "--rate", "250", "--only", "V"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto all = rows_in(text("all/beats.csv")), some = rows_in(text("v/beats.csv"));
  std::vector<std::string> wanted = {all[0]};
  for (const auto& row : all)
    if (row.find(",V,") != row.npos) wanted.push_back(row);
  EXPECT_GT(wanted.size(), 2U);
  EXPECT_EQ(some, wanted) << "numbers of beats are those of the whole list";
  for (const auto& row : rows_in(text("v/abnormal.csv")))
    EXPECT_TRUE(row.find(",V,") != row.npos || row.starts_with("rank,")) << row;
  EXPECT_EQ(text("v/episodes.csv"), text("all/episodes.csv"));
  EXPECT_EQ(contents_of(path("v/ecg.vae")), contents_of(path("all/ecg.vae")));
  const auto report = run_program({"report", path("v")});
  EXPECT_EQ(report.status, 3);
  EXPECT_NE(report.err.find("has beats of class V alone (output.only); run the analysis again without --only"),
            report.err.npos)
      << report.err;
  EXPECT_EQ(run("v", {recording(), "--rate", "250", "--only", "V", "--resume"}).status, 0);
  EXPECT_NE(run("v", {recording(), "--rate", "250", "--resume"}).err.find("another output.only"), std::string::npos);
}

// Nothing that names the patient, the day, the file or its folder is in any file of the result.
TEST_F(CliResultOptions, Deidentified) {
  const std::string input = of_a_patient("kittywake/Zacharias_Quill.edf");
  folder_.write("kittywake/diary.csv", "time,text\n22:31,Zacharias fell\n");
  const auto result = run("o", {input, "--deidentify", "--events", path("kittywake/diary.csv")});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json summary = Json::parse(text("o/summary.json"));
  EXPECT_EQ(summary["input"]["start"]["date"], "1985-01-01");
  EXPECT_EQ(summary["input"]["start"]["time_of_day"], "22:30:00.000");
  ASSERT_EQ(summary["events"].size(), 1U);
  EXPECT_EQ(summary["events"][0]["time_s"], 60);
  for (const char* name : {"Zacharias", "Quill", "77-1234", "MAR-1950", "kittywake", "2019-07", "23.07.19", "JUL-2019"})
    EXPECT_EQ(holding("o", name), "") << name;
  EXPECT_EQ(holding("o", folder_.path().string()), "");
  EXPECT_TRUE(fs::exists(path("o/recording.vae")) && fs::exists(path("o/recording_mqc.json")));
  const auto resumed = run("o", {input, "--deidentify", "--resume"});
  EXPECT_EQ(resumed.status, 2);
  EXPECT_NE(resumed.err.find("--resume with --deidentify"), resumed.err.npos) << resumed.err;
}

// In a batch, recordings are numbered, and those that fail name no file either.
TEST_F(CliResultOptions, DeidentifiedBatch) {
  const std::string first = of_a_patient("kittywake/Zacharias_Quill.edf");
  const auto bad = folder_.write("kittywake/Quill_2.csv", "mV\n1\noops\n");
  const auto result = run("o", {first, bad.string(), "--rate", "250", "--deidentify"});
  EXPECT_EQ(result.status, 7) << result.err;
  EXPECT_TRUE(fs::exists(path("o/recording-1/summary.json")));
  EXPECT_NE(text("o/cohort.csv").find("recording-2,,failed; run it without --deidentify"), std::string::npos)
      << text("o/cohort.csv");
  for (const char* name : {"Zacharias", "Quill", "77-1234", "MAR-1950", "kittywake", "2019-07"})
    EXPECT_EQ(holding("o", name), "") << name;
}

TEST_F(CliResultOptions, EventsAreOfOneRecording) {
  const auto diary = folder_.write("diary.csv", "time,text\n1,a\n");
  const auto both = run("o", {recording(), of_a_patient("b.edf"), "--rate", "250", "--events", diary.string()});
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("--events goes with one recording"), both.err.npos) << both.err;
  const auto bad =
      run("o", {recording(), "--rate", "250", "--events", folder_.write("e.csv", "time,text\n10:00,a\n").string()});
  EXPECT_EQ(bad.status, 3);
  EXPECT_NE(bad.err.find("e.csv:2: '10:00' is a time of day, and the recording has none"), bad.err.npos) << bad.err;
}

}  // namespace
}  // namespace beatscan
