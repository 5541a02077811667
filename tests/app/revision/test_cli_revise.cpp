// The real program: `beatscan revise`, and what `run --force` does with a reader's corrections.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::vector<std::string>> rows_of(const fs::path& path) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    rows.emplace_back();
    std::stringstream cells(line + ",");
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

// Two minutes with some ventricular beats, analysed once.
class CliRevise : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    ASSERT_EQ(run_program({"generate", "--samples", "30000", "--rate", "250", "--abnormal", "0.1", "--out",
                           path("ecg.csv"), "-q"})
                  .status,
              0);
    ASSERT_EQ(run({}).status, 0);
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string path(const std::string& name) { return (folder_->path() / name).string(); }
  static ProgramResult run(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run",     path("ecg.csv"), "--rate", "250", "--out",
                                          path("r"), "--model",       "none",   "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  static ProgramResult revise(const std::string& lists, const std::string& of = "r") {
    folder_->write("c.json", R"({"format": "beatscan corrections", "version": 1)" + lists + "}");
    return run_program({"revise", path(of), "--corrections", path("c.json"), "--force"});
  }
  static Json summary(const std::string& of = "r/revised") {
    return Json::parse(contents_of(path(of + "/summary.json")));
  }
  // Returns a cell of a row of beats.csv.
  static std::string cell(const std::string& of, std::size_t beat, const std::string& column) {
    const auto rows = rows_of(path(of + "/beats.csv"));
    return rows[beat + 1][std::ranges::find(rows[0], column) - rows[0].begin()];
  }
  static std::string time_of(std::size_t beat) { return cell("r", beat, "time_s"); }
  inline static TemporaryFolder* folder_ = nullptr;
};

TEST_F(CliRevise, ChangesNothingWithoutCorrections) {
  const auto result = revise("");
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* name : {"episodes.csv", "templates.csv", "abnormal.csv", "quality.csv", "hrv.csv", "ecg.vae"})
    EXPECT_EQ(contents_of(path("r") + "/" + name), contents_of(path("r/revised") + "/" + name)) << name;
  Json now = summary(), before = summary("r");
  for (auto* its : {&now, &before}) its->erase("revision"), its->erase("rhythm");
  EXPECT_EQ(now, before);
}

TEST_F(CliRevise, WritesCorrectedBeatsEverywhere) {
  const std::string at = time_of(20), gone = time_of(31);
  const auto result = revise(R"(, "beats": [{"time_s": )" + at + R"(, "beat_class": "F"}, {"time_s": )" + gone +
                             R"(, "action": "delete"}])");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(cell("r/revised", 20, "beat_class"), "F");
  EXPECT_EQ(cell("r/revised", 20, "corrected"), "class");
  EXPECT_EQ(cell("r/revised", 20, "anomalous"), "1");
  EXPECT_EQ(cell("r/revised", 31, "sample"), cell("r", 32, "sample"));
  EXPECT_EQ(cell("r/revised", 31, "rr_prev_ratio"), "");
  EXPECT_DOUBLE_EQ(std::stod(cell("r/revised", 30, "rr_next_s")),
                   std::stod(cell("r", 32, "time_s")) - std::stod(cell("r", 30, "time_s")));
  const Json now = summary(), before = summary("r");
  EXPECT_EQ(now["beats"]["found"], before["beats"]["found"].get<int>() - 1);
  EXPECT_EQ(now["findings"]["kinds"]["F"], before["findings"]["kinds"]["F"].get<int>() + 1);
  EXPECT_EQ(now["revision"]["beats"], 1);
  EXPECT_EQ(now["revision"]["deleted"], 1);
  EXPECT_NE(contents_of(path("r/revised/abnormal.csv")).find("class: F by a reader"), std::string::npos);
}

// The page made of what is in memory is the one made of the files, and equal corrections give equal bytes.
TEST_F(CliRevise, IsRepeatable) {
  const std::string lists = R"(, "beats": [{"time_s": )" + time_of(9) + R"(, "beat_class": "S"},
    {"time_s": 40.2, "action": "insert", "beat_class": "N"}, {"time_s": )" +
                            time_of(50) + R"(, "action": "delete"}],
    "templates": [{"template": 0, "beat_class": "V"}], "noise": [{"from_s": 60, "to_s": 70}])";
  ASSERT_EQ(revise(lists).status, 0);
  const std::string page = contents_of(path("r/revised/report.html")), beats = contents_of(path("r/revised/beats.csv"));
  ASSERT_EQ(run_program({"report", path("r/revised"), "-q"}).status, 0);
  EXPECT_EQ(contents_of(path("r/revised/report.html")), page);
  ASSERT_EQ(revise(lists).status, 0);
  EXPECT_EQ(contents_of(path("r/revised/report.html")), page);
  EXPECT_EQ(contents_of(path("r/revised/beats.csv")), beats);
  EXPECT_NE(contents_of(path("r/revised/quality.csv")).find("60.000000,70.000000,noisy"), std::string::npos);
}

// Runs, couplets and heart rate variability are those that the list of corrected beats gives by itself.
TEST_F(CliRevise, GivesTheEpisodesOfTheCorrectedBeats) {
  std::string lists;
  for (const int beat : {40, 41, 42, 60, 61})
    lists += (lists.empty() ? R"({"time_s": )" : R"(, {"time_s": )") + time_of(beat) + R"(, "beat_class": "V"})";
  ASSERT_EQ(revise(R"(, "beats": [)" + lists + "]").status, 0);
  ASSERT_EQ(
      run_program({"rhythm", path("r/revised/ecg.vae"), "--rate", "250", "--out", path("rhythm"), "--force"}).status,
      0);
  const Json by_list = summary("rhythm")["findings"], revised = summary()["findings"];
  EXPECT_EQ(revised["kinds"], by_list["kinds"]);
  for (const char* label : {"V2", "VT", "IVR", "B", "T"}) {
    ASSERT_EQ(revised["episodes"].contains(label), by_list["episodes"].contains(label)) << label;
    if (!revised["episodes"].contains(label)) continue;
    EXPECT_EQ(revised["episodes"][label]["beats"], by_list["episodes"][label]["beats"]) << label;
  }
  EXPECT_EQ(revised["hrv"]["intervals"], by_list["hrv"]["intervals"]);
}

TEST_F(CliRevise, AddsCorrectionsToARevisedResult) {
  ASSERT_EQ(revise(R"(, "beats": [{"time_s": )" + time_of(20) + R"(, "beat_class": "F"}])").status, 0);
  const auto more = revise(R"(, "beats": [{"time_s": )" + time_of(25) + R"(, "beat_class": "S"}])", "r/revised");
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(cell("r/revised", 20, "beat_class"), "F");
  EXPECT_EQ(cell("r/revised", 25, "beat_class"), "S");
}

TEST_F(CliRevise, LosesNoCorrectionUnasked) {
  ASSERT_EQ(revise(R"(, "beats": [{"time_s": )" + time_of(20) + R"(, "beat_class": "F"}])").status, 0);
  const auto other = folder_->write("other.json", R"({"format": "beatscan corrections", "version": 1})");
  const auto refused = run_program({"revise", path("r"), "--corrections", other});
  EXPECT_EQ(refused.status, 6);
  EXPECT_NE(refused.err.find("has 1 correction that"), std::string::npos) << refused.err;
  EXPECT_EQ(cell("r/revised", 20, "beat_class"), "F");
}

TEST_F(CliRevise, TakesAnAnnotationFile) {
  fs::copy_file(path("r/ecg.vae"), path("reader.atr"), fs::copy_options::overwrite_existing);
  ASSERT_EQ(run_program({"revise", path("r"), "--corrections", path("reader.atr"), "--force"}).status, 0);
  EXPECT_EQ(contents_of(path("r/revised/ecg.vae")), contents_of(path("r/ecg.vae")));
  EXPECT_EQ(summary()["revision"]["beats"], 0);
}

// A list of the first beats alone deletes all others, and is not taken in silence.
TEST_F(CliRevise, WarnsOfAListOfAPart) {
  std::string list = "sample,symbol\n";
  for (int beat = 0; beat < 40; ++beat) list += cell("r", beat, "sample") + ",N\n";
  const auto part = folder_->write("part.csv", list);
  const auto result = run_program({"revise", path("r"), "--corrections", part, "--force"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("part.csv: "), std::string::npos) << result.err;
  EXPECT_EQ(summary()["revision"]["warnings"].size(), 1U) << result.err;
}

TEST_F(CliRevise, HasARowOfItsOwnForMultiQc) {
  ASSERT_EQ(revise("").status, 0);
  EXPECT_TRUE(Json::parse(contents_of(path("r/revised/ecg_mqc.json")))["data"].contains("ecg (revised)"));
}

TEST_F(CliRevise, IsAReferenceOfTheAnalysis) {
  ASSERT_EQ(revise(R"(, "beats": [{"time_s": )" + time_of(20) + R"(, "beat_class": "S"}, {"time_s": )" + time_of(31) +
                   R"(, "action": "delete"}])")
                .status,
            0);
  const auto compared = run_program({"evaluate", path("r"), "--reference", path("r")});
  ASSERT_EQ(compared.status, 0) << compared.err;
  const Json found = Json::parse(compared.out);
  EXPECT_EQ(found["detection"]["fp"], 1);
  EXPECT_EQ(found["detection"]["fn"], 0);
  EXPECT_EQ(found["kinds"]["S"]["fn"], 1);
  EXPECT_EQ(run_program({"evaluate", path("r")}).status, 2);
  fs::remove_all(path("r/revised"));
  EXPECT_EQ(run_program({"evaluate", path("r"), "--reference", path("r")}).status, 2);
}

TEST_F(CliRevise, RefusesWhatDoesNotFit) {
  const auto other = revise(R"(, "recording": {"sha256": "0123456789abcdef"})");
  EXPECT_EQ(other.status, 3);
  EXPECT_NE(other.err.find("is of another recording"), std::string::npos) << other.err;
  EXPECT_EQ(run_program({"revise", path("r"), "--corrections", path("none.json")}).status, 3);
  EXPECT_EQ(run_program({"revise", path("nothing")}).status, 3);
  const auto none = folder_->write("none.csv", "sample,symbol\n");
  const auto empty = run_program({"revise", path("r"), "--corrections", none});
  EXPECT_EQ(empty.status, 3);
  EXPECT_NE(empty.err.find("has no beats; every beat of the result would be deleted"), std::string::npos) << empty.err;
  const auto onto = run_program({"revise", path("r"), "--corrections", path("c.json"), "--out", path("r")});
  EXPECT_EQ(onto.status, 6) << onto.err;
  EXPECT_TRUE(fs::exists(path("r/model.safetensors")) || fs::exists(path("r/beats.csv")));
  const auto nowhere = revise(R"(, "beats": [{"time_s": 9999, "beat_class": "V"}])");
  EXPECT_EQ(nowhere.status, 0);
  EXPECT_NE(nowhere.err.find("not applied: no beat at 9999 s"), std::string::npos) << nowhere.err;
  std::string many;
  for (int i = 0; i < 25; ++i) many += (i > 0 ? ", " : "") + std::string(R"({"time_s": 9999, "action": "delete"})");
  const auto lost = revise(R"(, "beats": [)" + many + "]");
  EXPECT_NE(lost.err.find("not applied: 15 more"), std::string::npos) << lost.err;
}

TEST_F(CliRevise, SurvivesAnotherRunIfAskedFor) {
  ASSERT_EQ(revise(R"(, "beats": [{"time_s": )" + time_of(20) + R"(, "beat_class": "F"}])").status, 0);
  const auto refused = run({"--force"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("holds a reader's corrections; give --old-corrections keep"), std::string::npos)
      << refused.err;
  const auto kept = run({"--force", "--old-corrections", "keep"});
  ASSERT_EQ(kept.status, 0) << kept.err;
  EXPECT_EQ(cell("r/revised", 20, "beat_class"), "F");
  EXPECT_EQ(cell("r", 20, "beat_class") == "F", false);
  ASSERT_EQ(run({"--force", "--old-corrections", "drop"}).status, 0);
  EXPECT_FALSE(fs::exists(path("r/revised")));
  EXPECT_FALSE(fs::exists(path("r/corrections.json")));
}

}  // namespace
}  // namespace beatscan
