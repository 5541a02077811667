// The same two leads as ISHNE, WFDB, EDF and CSV: the whole program finds the same beats in either lead, and in both.
//
// A step is 1/64 mV, which is exact in float32 and in every format's header, so that all samples are the same bits.
#include <edflib.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/common/json.h"
#include "app/common/sha256.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/io/input.h"
#include "tests/paths/paths.h"
#include "tests/support/csv_parse.h"
#include "tests/support/ishne_files.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

constexpr int kRateHz = 360, kSeconds = 60, kStepsPerMv = 64, kStepNv = 15625, kMostSteps = 1024;

struct TwoLeads {
  std::vector<int> ii, v1;  // steps
};

// A minute of the MIT-BIH recording that the project holds; the second lead is an inverted, later and smaller one.
TwoLeads recorded() {
  std::ifstream csv(source_folder() + "/data/mitdb_205.csv");
  std::string line;
  std::getline(csv, line);
  std::vector<double> mv;
  while (mv.size() < kRateHz * kSeconds && std::getline(csv, line)) mv.push_back(std::stod(line));
  TwoLeads leads;
  for (std::size_t i = 0; i < mv.size(); ++i) {
    leads.ii.push_back(static_cast<int>(std::lround(mv[i] * kStepsPerMv)));
    leads.v1.push_back(static_cast<int>(std::lround((0.2 - 0.6 * mv[i < 4 ? 0 : i - 4]) * kStepsPerMv)));
  }
  return leads;
}

// Returns the cells of a column of a CSV text.
std::vector<std::string> column_of(const std::string& csv, const std::string& name) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const auto header = cells_of(line, ',');
  const auto place = std::ranges::find(header, name) - header.begin();
  std::vector<std::string> column;
  while (std::getline(lines, line)) column.push_back(cells_of(line, ',').at(place));
  return column;
}

std::vector<int> in_turns(const TwoLeads& leads) {
  std::vector<int> samples;
  for (std::size_t i = 0; i < leads.ii.size(); ++i) samples.insert(samples.end(), {leads.ii[i], leads.v1[i]});
  return samples;
}

class SameRecording : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  void write_ishne() const {
    folder_.write(
        "ishne.ecg",
        bytes_of(IshneFile{.resolutions_nv = {kStepNv, kStepNv}, .samples = in_turns(leads_), .rate_hz = kRateHz}));
  }
  void write_wfdb() const {
    const auto samples = in_turns(leads_);
    std::string bytes(2 * samples.size(), '\0');
    for (std::size_t i = 0; i < samples.size(); ++i) put_number(bytes, 2 * i, 2, samples[i]);
    folder_.write("wfdb.dat", bytes);
    folder_.write("wfdb.hea", "wfdb 2 360 " + std::to_string(leads_.ii.size()) +
                                  "\nwfdb.dat 16 64/mV 16 0 0 0 0 II\nwfdb.dat 16 64/mV 16 0 0 0 0 V1\n");
  }
  void write_edf() const {
    const int handle = edfopen_file_writeonly(path("edf.edf").c_str(), EDFLIB_FILETYPE_EDFPLUS, 2);
    ASSERT_GE(handle, 0);
    for (int signal = 0; signal < 2; ++signal) {
      edf_set_samplefrequency(handle, signal, kRateHz);
      edf_set_physical_maximum(handle, signal, kMostSteps / kStepsPerMv);
      edf_set_physical_minimum(handle, signal, -kMostSteps / kStepsPerMv);
      edf_set_digital_maximum(handle, signal, kMostSteps);
      edf_set_digital_minimum(handle, signal, -kMostSteps);
      edf_set_label(handle, signal, signal == 0 ? "II" : "V1");
      edf_set_physical_dimension(handle, signal, "mV");
    }
    TwoLeads leads = leads_;
    for (int second = 0; second < kSeconds; ++second)
      for (auto* lead : {&leads.ii, &leads.v1})
        ASSERT_EQ(edfwrite_digital_samples(handle, lead->data() + second * kRateHz), 0);
    edfclose_file(handle);
  }
  void write_csv() const {
    std::ofstream csv(path("csv.csv"));
    csv << "II,V1\n";
    csv.precision(17);
    for (std::size_t i = 0; i < leads_.ii.size(); ++i)
      csv << leads_.ii[i] / static_cast<double>(kStepsPerMv) << ',' << leads_.v1[i] / static_cast<double>(kStepsPerMv)
          << '\n';
  }

  // Returns beats.csv; of all leads if `lead` is empty.
  std::string beats_of(const std::string& file, const std::string& lead = "") const {
    std::vector<std::string> arguments = {"run",     path(file), "--set", "vae.epochs=1", "--no-report",
                                          "--force", "--device", "cpu",   "--out",        path("out")};
    if (!lead.empty()) arguments.insert(arguments.end(), {"--lead", lead});
    if (file == "csv.csv") arguments.insert(arguments.end(), {"--rate", std::to_string(kRateHz)});
    const auto result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return contents_of(path("out/beats.csv"));
  }

  TemporaryFolder folder_;
  const TwoLeads leads_ = recorded();
};

TEST_F(SameRecording, HasTheSameBeatsInEveryFormat) {
  write_ishne();
  write_wfdb();
  ASSERT_NO_FATAL_FAILURE(write_edf());
  write_csv();
  std::string other_lead;
  for (const std::string lead : {"II", "V1"}) {
    const std::string beats = beats_of("ishne.ecg", lead);
    EXPECT_GT(std::ranges::count(beats, '\n'), 60);
    EXPECT_NE(beats, other_lead);
    for (const std::string file : {"wfdb", "edf.edf", "csv.csv"})
      EXPECT_TRUE(beats_of(file, lead) == beats) << file << ", lead " << lead;
    other_lead = beats;
  }
}

TEST_F(SameRecording, HasTheSameBeatsOfBothLeadsInEveryFormat) {
  write_ishne();
  write_wfdb();
  ASSERT_NO_FATAL_FAILURE(write_edf());
  write_csv();
  const std::string beats = beats_of("ishne.ecg");
  EXPECT_GT(std::ranges::count(beats, '\n'), 60);
  for (const char* lead : {"0", "1"})
    EXPECT_GT(std::ranges::count(column_of(beats, "lead"), lead), 0) << "no beat has lead " << lead;
  for (const char* lead : {"II", "V1"}) EXPECT_NE(beats, beats_of("ishne.ecg", lead));
  for (const std::string file : {"wfdb", "edf.edf", "csv.csv"}) EXPECT_TRUE(beats_of(file) == beats) << file;
}

TEST_F(SameRecording, HasTheSameSamplesInBothLeadsAtOnce) {
  write_ishne();
  write_wfdb();
  ASSERT_NO_FATAL_FAILURE(write_edf());
  write_csv();
  Cpu cpu(2);
  for (const std::string file : {"ishne.ecg", "wfdb", "edf.edf", "csv.csv"}) {
    SCOPED_TRACE(file);
    const auto recording = read_recording(cpu, resolve_input(path(file), {}), {});
    ASSERT_EQ(recording.leads.size(), 2u);
    EXPECT_EQ(recording.leads[0].name, "II");
    EXPECT_EQ(recording.leads[1].name, "V1");
    for (const auto& [lead, steps] : {std::pair{0, &leads_.ii}, std::pair{1, &leads_.v1}}) {
      const auto samples = recording.leads[static_cast<std::size_t>(lead)].samples.span();
      ASSERT_EQ(samples.size(), steps->size());
      for (std::size_t i = 0; i < steps->size(); ++i)
        ASSERT_EQ(samples[i], static_cast<float>((*steps)[i]) / kStepsPerMv) << "lead " << lead << ", sample " << i;
    }
    const auto inspected = run_program({"inspect", path(file), "--rate", "360"});
    const Json leads = Json::parse(inspected.out)["leads"];
    ASSERT_EQ(leads.size(), 2u) << inspected.err;
    EXPECT_EQ(leads[1]["name"], "V1");
    EXPECT_EQ(leads[1]["missing"], 0);
  }
}

TEST_F(SameRecording, TheSummarySaysWhatWasRead) {
  write_ishne();
  beats_of("ishne.ecg", "V1");
  const std::string bytes = contents_of(path("ishne.ecg"));
  const Json summary = Json::parse(contents_of(path("out/summary.json")));
  EXPECT_EQ(summary["input"]["format"], "ISHNE");
  EXPECT_EQ(summary["input"]["column"], "V1");
  EXPECT_EQ(summary["input"]["unit"], "mV");
  const auto [least, most] = std::ranges::minmax(leads_.v1);
  Json leads = summary["input"]["leads"];
  EXPECT_GT(leads[0]["quality"]["good"], 0.9);
  leads[0].erase("quality");
  EXPECT_EQ(leads, (Json{{{"name", "V1"},
                          {"unit", "mV"},
                          {"mv_per_unit", 1.0},
                          {"unit_assumed", false},
                          {"missing", 0},
                          {"gaps", 0},
                          {"min", static_cast<float>(least) / kStepsPerMv},
                          {"max", static_cast<float>(most) / kStepsPerMv},
                          {"analysable_share", 1.0},
                          {"used", true}}}));
  EXPECT_EQ(summary["input"]["bytes"], bytes.size());
  EXPECT_EQ(summary["input"]["sha256"], sha256_of(bytes));
  EXPECT_EQ(summary["sample_rate"]["hz"], kRateHz);
  EXPECT_EQ(summary["run"]["sample_rate_source"], "header");
  const auto inspected = run_program({"inspect", path("ishne.ecg")});
  EXPECT_EQ(inspected.status, 0) << inspected.err;
  EXPECT_EQ(Json::parse(inspected.out)["columns"], (Json{"II", "V1"}));
}

}  // namespace
}  // namespace beatscan
