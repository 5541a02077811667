// The program on WFDB records.
#include <edflib.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/common/json.h"
#include "app/common/sha256.h"
#include "tests/paths/paths.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
const std::string kRecords = source_folder() + "/tests/reference/expected/wfdb/";

class CliRecord : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void run(Arguments arguments, const std::string& out) const {
    arguments.insert(arguments.begin(),
                     {"run", "--set", "vae.epochs=2", "--set", "vae.least_beats=2", "--out", path(out)});
    const auto result = run_program(arguments);
    ASSERT_EQ(result.status, 0) << result.err;
  }
  Json summary_of(const std::string& out) const { return Json::parse(contents_of(path(out) + "/summary.json")); }
  TemporaryFolder folder_;
};

TEST_F(CliRecord, ARecordAndItsCsvExportGiveTheSameBytes) {
  run({kRecords + "ecg"}, "record");
  run({kRecords + "ecg.csv", "--rate", "360", "--set", "ingest.column=MLII"}, "csv");
  for (const char* name : {"beats.csv", "quality.csv", "generated.csv"}) {
    EXPECT_GT(contents_of(path("record/") + name).size(), 10u) << name;
    EXPECT_EQ(contents_of(path("record/") + name), contents_of(path("csv/") + name)) << name;
  }
  EXPECT_EQ(contents_of(path("record/ecg.vae")), contents_of(path("csv/ecg.vae")));
  EXPECT_GT(summary_of("record")["beats"]["kept"], 15);
  EXPECT_EQ(summary_of("record")["input"]["missing"]["samples"], 200);
}

TEST_F(CliRecord, AModelOfTheExportScoresTheRecord) {
  run({kRecords + "ecg.csv", "--rate", "360", "--set", "ingest.column=MLII"}, "trained");
  const auto scored =
      run_program({"score", kRecords + "ecg", "--model", path("trained/model.safetensors"), "--out", path("scored")});
  ASSERT_EQ(scored.status, 0) << scored.err;
  EXPECT_EQ(contents_of(path("scored/beats.csv")), contents_of(path("trained/beats.csv")));
  EXPECT_EQ(summary_of("scored")["run"]["sample_rate_source"], "header");
}

TEST_F(CliRecord, TheSummarySaysWhatWasRead) {
  run({kRecords + "ecg.hea"}, "o");
  const Json input = summary_of("o")["input"];
  EXPECT_EQ(input["format"], "WFDB");
  EXPECT_EQ(input["column"], "MLII");
  EXPECT_EQ(input["unit"], "mV");
  EXPECT_EQ(input["files"], (Json{kRecords + "ecg.hea", kRecords + "ecg.dat"}));
  const std::string bytes = contents_of(kRecords + "ecg.hea") + contents_of(kRecords + "ecg.dat");
  EXPECT_EQ(input["bytes"], bytes.size());
  EXPECT_EQ(input["sha256"], sha256_of(bytes)) << "of the files one after the other";
  EXPECT_EQ(summary_of("o")["sample_rate"]["hz"], 360);
  EXPECT_EQ(summary_of("o")["run"]["sample_rate_source"], "header");
  ASSERT_EQ(
      run_program({"run", kRecords + "ecg.hea", "--config", path("o/config.json"), "--out", path("again")}).status, 0);
  for (const char* name : {"beats.csv", "config.json", "model.safetensors"})
    EXPECT_EQ(contents_of(path("o/") + name), contents_of(path("again/") + name)) << name;
}

// Writes the same samples in steps of 0.001 mV.
TEST_F(CliRecord, AnEdfFileIsAnalysedAtItsOwnRate) {
  const int handle = edfopen_file_writeonly(path("ecg.edf").c_str(), EDFLIB_FILETYPE_EDFPLUS, 1);
  edf_set_samplefrequency(handle, 0, 360);
  edf_set_physical_maximum(handle, 0, 32.767);
  edf_set_physical_minimum(handle, 0, -32.768);
  edf_set_digital_maximum(handle, 0, 32767);
  edf_set_digital_minimum(handle, 0, -32768);
  edf_set_label(handle, 0, "MLII");
  edf_set_physical_dimension(handle, 0, "mV");
  std::istringstream lines(contents_of(source_folder() + "/data/mitdb_205.csv"));
  std::string line, text;
  std::getline(lines, line);
  text = line + "\n";
  for (int second = 0; second < 30; ++second) {
    std::vector<int> digital;
    for (int i = 0; i < 360 && std::getline(lines, line); ++i) {
      digital.push_back(static_cast<int>(std::lround(std::stod(line) * 1000)));
      text += line + "\n";
    }
    ASSERT_EQ(edfwrite_digital_samples(handle, digital.data()), 0);
  }
  edfclose_file(handle);
  run({path("ecg.edf")}, "edf");
  run({folder_.write("ecg.csv", text).string(), "--rate", "360"}, "csv");
  const Json summary = summary_of("edf");
  EXPECT_EQ(summary["input"]["format"], "EDF+");
  EXPECT_EQ(summary["input"]["unit"], "mV");
  EXPECT_EQ(summary["sample_rate"]["hz"], 360);
  EXPECT_EQ(summary["run"]["sample_rate_source"], "header");
  EXPECT_EQ(contents_of(path("edf/beats.csv")), contents_of(path("csv/beats.csv")));
}

TEST_F(CliRecord, ABatchMixesRecordsAndCsv) {
  const auto result = run_program({"run", kRecords + "ecg", kRecords + "f17", kRecords + "ecg.csv", "--set",
                                   "ingest.column=MLII", "--rate", "360", "--set", "vae.epochs=1", "--out", path("o")});
  EXPECT_EQ(result.status, 7);
  ASSERT_EQ(error_lines(result).size(), 2u) << result.err;
  EXPECT_NE(error_lines(result)[0].find("f17: cannot be read"), std::string::npos) << result.err;
  EXPECT_EQ(contents_of(path("o/ecg/beats.csv")), contents_of(path("o/ecg-2/beats.csv")));
}

TEST_F(CliRecord, DryRunAndInspectLookAtTheHeader) {
  const auto plan = run_program({"run", kRecords + "ecg", "--out", path("o"), "--dry-run"});
  ASSERT_EQ(plan.status, 0) << plan.err;
  const Json recording = Json::parse(plan.out)["recordings"][0];
  EXPECT_EQ(recording["format"], "WFDB");
  EXPECT_EQ(recording["column"], "MLII");
  EXPECT_EQ(recording["sample_rate_hz"], 360);
  const Json inspected = Json::parse(run_program({"inspect", kRecords + "two_rates", "--set", "ingest.column=V1"}).out);
  EXPECT_EQ(inspected["format"], "WFDB");
  EXPECT_EQ(inspected["columns"], (Json{"MLII", "V1"}));
  EXPECT_EQ(inspected["sample_rate_hz"], 720);
  EXPECT_EQ(inspected["sample_rate_source"], "header");
  EXPECT_EQ(inspected["unit"], "mV");
  EXPECT_FALSE(inspected.contains("delimiter"));
}

TEST_F(CliRecord, OneLeadAndSeveralAreNotBothChosen) {
  const auto names = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"run", kRecords + "f516", "--dry-run", "--out", path("o")});
    const auto result = run_program(options);
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out)["recordings"][0]["leads"];
  };
  const std::string file = path("c.json");
  std::ofstream(file) << R"({"ingest": {"leads": ["ABP", "V1"]}})";
  EXPECT_EQ(names({"--config", file, "--lead", "MLII"}), Json::array({"MLII"})) << "the command line wins";
  std::ofstream(file) << R"({"ingest": {"column": "ABP"}})";
  EXPECT_EQ(names({"--config", file, "--set", "ingest.leads=V1,MLII"}), (Json{"V1", "MLII"}));
  EXPECT_EQ(names({"--config", file, "--set", "ingest.leads=auto"}), (Json{"MLII", "V1"}));
  EXPECT_EQ(names({"--lead", "V1", "--set", "ingest.leads=auto"}), Json::array({"V1"}));
  const auto refused = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"inspect", kRecords + "f516"});
    expect_failure(2, "ingest.leads: chooses leads, and ingest.column (or --lead) chooses 'V1' alone", options);
  };
  refused({"--set", "ingest.leads=2,MLII", "--lead", "V1"});
  refused({"--set", "ingest.leads=V1", "--set", "ingest.column=V1"});
  std::ofstream(file) << R"({"ingest": {"column": "V1", "leads": ["ABP"]}})";
  refused({"--config", file});
}

TEST_F(CliRecord, LeadsAreChosenByNameOrPosition) {
  const auto names = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"inspect", kRecords + "f516"});
    const auto result = run_program(options);
    EXPECT_EQ(result.status, 0) << result.err;
    const Json inspected = Json::parse(result.out);
    Json found = Json::array();
    for (const auto& lead : inspected["leads"]) found.push_back(lead["name"]);
    return found;
  };
  EXPECT_EQ(names({}), (Json{"MLII", "V1"})) << "not ABP";
  EXPECT_EQ(names({"--lead", "V1"}), Json::array({"V1"}));
  EXPECT_EQ(names({"--lead", "2"}), Json::array({"ABP"}));
  EXPECT_EQ(names({"--set", "ingest.leads=2,MLII"}), (Json{"ABP", "MLII"}));
  EXPECT_EQ(names({"--set", "ingest.leads=[1]"}), Json::array({"V1"}));
  EXPECT_EQ(names({"--config", "seed", "--set", "ingest.column="}), Json::array({"MLII"})) << "one lead, as published";
  expect_failure(3, "no lead 'II'", {"inspect", kRecords + "f516", "--lead", "II"});
  expect_failure(3, "lead 'V1' is asked for twice", {"inspect", kRecords + "f516", "--set", "ingest.leads=V1,1"});
  const auto plan = run_program({"run", kRecords + "f516", "--lead", "V1", "--out", path("o"), "--dry-run"});
  ASSERT_EQ(plan.status, 0) << plan.err;
  EXPECT_EQ(Json::parse(plan.out)["recordings"][0]["leads"], Json::array({"V1"}));
  EXPECT_EQ(Json::parse(plan.out)["config"]["ingest"]["column"], "V1");
}

TEST_F(CliRecord, TheUsersRateWinsOverTheHeaders) {
  const auto result =
      run_program({"run", kRecords + "ecg", "--rate", "250", "--set", "vae.epochs=1", "--out", path("o")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("warning: " + kRecords +
                            "ecg: BS101 caution: the header says 360 Hz, 250 Hz is used, as asked for"),
            std::string::npos);
  EXPECT_EQ(summary_of("o")["sample_rate"]["hz"], 250);
}

// The annotations of a record count its frames. This lead has two samples in each frame.
TEST_F(CliRecord, ATruthInFramesFitsALeadOfMoreSamples) {
  std::istringstream lines(contents_of(source_folder() + "/data/mitdb_205.csv"));
  std::string line, data;
  std::getline(lines, line);
  for (int i = 0; i < 10'000 && std::getline(lines, line); ++i) {
    const auto value = static_cast<int>(std::lround(std::stod(line) * 200));
    data += static_cast<char>(value & 0xff);
    data += static_cast<char>(value >> 8 & 0xff);
  }
  folder_.write("r.dat", data);
  const auto record = folder_.write("r.hea", "r 1 180 5000\nr.dat 16x2 200/mV 16 0 0 0 0 MLII\n").string();
  std::istringstream beats(contents_of(source_folder() + "/data/mitdb_205.truth.csv"));
  std::string annotations;
  int last = 0, count = 0;
  for (std::getline(beats, line); std::getline(beats, line) && std::stoi(line) < 10'000; ++count) {
    const int frame = std::stoi(line) / 2, word = 1 << 10 | (frame - last);
    last = frame;
    annotations += static_cast<char>(word & 0xff);
    annotations += static_cast<char>(word >> 8);
  }
  const auto truth = folder_.write("r.atr", annotations + std::string(2, '\0')).string();
  run({record, "--truth", truth}, "o");
  const Json summary = summary_of("o");
  EXPECT_EQ(summary["sample_rate"]["hz"], 360);
  EXPECT_EQ(summary["input"]["samples_per_frame"], 2);
  EXPECT_EQ(summary["evaluation"]["detection"]["tp"], count);
  EXPECT_EQ(summary["evaluation"]["detection"]["fn"], 0);
  const auto evaluated = run_program({"evaluate", path("o"), "--truth", truth});
  EXPECT_EQ(Json::parse(evaluated.out), summary["evaluation"]);
}

// The annotations are copied from a result.
TEST_F(CliRecord, EpisodesAreComparedWithTheRhythmsOfAnnotations) {
  const Arguments input = {source_folder() + "/data/mitdb_205.csv", "--rate", "360"};
  run(input, "o");
  const std::string truth = path("o/mitdb_205.vae");
  run({input[0], input[1], input[2], "--truth", truth}, "with");
  const Json evaluation = summary_of("with")["evaluation"];
  EXPECT_EQ(evaluation["episodes"]["VT"]["sensitivity"], 1);
  EXPECT_EQ(Json::parse(run_program({"evaluate", path("with"), "--truth", truth}).out), evaluation);
}

TEST_F(CliRecord, ALongNameIsShortenedInTheNamesOfFiles) {
  const std::string input = path(std::string(249, 'x') + ".csv");
  fs::copy_file(kRecords + "ecg.csv", input);
  run({input, "--rate", "360", "--set", "ingest.column=MLII"}, "o");
  EXPECT_TRUE(fs::exists(path("o/" + std::string(190, 'x') + "_mqc.json")));
}

TEST_F(CliRecord, ErrorsAreOneLineAndStatus3) {
  const auto expect_input_error = [&](const std::string& part, const std::string& header) {
    folder_.write("x.dat", std::string(100, 'x'));
    expect_failure(3, part, {"run", folder_.write("x.hea", header).string(), "--out", path("o")});
  };
  expect_input_error("x.hea:2: gain 'huge' is not a number", "x 1 360 50\nx.dat 16 huge\n");
  expect_input_error("x.dat: is cut off: it has 100 bytes, and the header says 51 frames of 1 sample in format 16",
                     "x 1 360 51\nx.dat 16\n");
  expect_input_error("x.hea: has 1 signal where the record line says 1000000000", "x 1000000000 360 50\nx.dat 16\n");
  expect_input_error("'/etc/passwd' is not a file in the header's folder", "x 1 360 50\n/etc/passwd 80\n");
  expect_input_error("x.dat: is damaged: the sum of signal 'I' is ", "x 1 360 50\nx.dat 16 200 16 0 0 1 0 I\n");
  fs::create_directory(path("record"));
  fs::create_symlink(path("x.dat"), path("record/link.dat"));
  folder_.write("record/x.hea", "x 1 360 50\nlink.dat 80\n");
  expect_failure(3, "'link.dat' is a link to a file outside", {"run", path("record/x.hea"), "--out", path("o")});
  expect_input_error("x.dat: is cut off: it has 100 bytes, and the header says that the samples begin at byte 101",
                     "x 1 360\nx.dat 16+101\n");
  fs::create_symlink(path("b.csv"), path("a.csv"));
  fs::create_symlink(path("a.csv"), path("b.csv"));
  expect_failure(3, "a.csv: ", {"run", path("a.csv"), "--rate", "250", "--out", path("o")});
  expect_failure(3, "no lead 'II'", {"run", kRecords + "ecg", "--set", "ingest.column=II", "--out", path("o")});
  folder_.write("y.hea", "y 1\nx.dat 16\n");
  expect_failure(2,
                 "y.hea: sampling rate unknown: give --rate HZ (or ingest.sample_rate_hz in the configuration); the "
                 "header does not specify it",
                 {"run", path("y.hea"), "--out", path("o")});
  EXPECT_FALSE(fs::exists(path("o")));
}

}  // namespace
}  // namespace beatscan
