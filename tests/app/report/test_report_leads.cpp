// Pages of results with several leads, and of older results of one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/common/npy.h"
#include "app/report/report.h"
#include "app/report/stored/stored_result.h"
#include "tests/paths/paths.h"
#include "tests/support/beat_tables.h"
#include "tests/support/expect_error.h"
#include "tests/support/read_npy.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEvilLead = "V5, <img src=x>";

// Writes 100 s in three leads: as it is, upside down, and larger but flat for a while. All of them are flat at the end.
fs::path three_leads(const TemporaryFolder& folder) {
  std::ifstream from(source_folder() + "/data/mitdb_205.csv");
  std::ofstream to(folder.path() / "three.csv");
  to << "II,V1,\"" << kEvilLead << "\"\n";
  std::string line;
  std::getline(from, line);
  for (int i = 0; i < 36'000 && std::getline(from, line); ++i) {
    const double value = i > 30'000 ? 0 : std::stod(line);
    to << value << "," << -0.7 * value << "," << (i > 9'000 && i < 15'000 ? 0 : 1.2 * value) << "\n";
  }
  return folder.path() / "three.csv";
}

// A result of three leads, which is made once.
class ReportOfLeads : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    const auto run =
        run_program({"run", three_leads(*folder_).string(), "--rate", "360", "--device", "cpu", "--set", "vae.epochs=1",
                     "--set", "ingest.leads=[\"0\",\"1\",\"2\"]", "--out", (folder_->path() / "out").string()});
    ASSERT_EQ(run.status, 0) << run.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static fs::path out() { return folder_->path() / "out"; }
  static std::string file(const std::string& name) { return contents_of(out() / name); }
  static void write(const std::string& name, const std::string& text) {
    std::ofstream(out() / name, std::ios::binary) << text;
  }
  // Checks that the page is refused, by the name of the file, while it holds another text.
  static void expect_refused(const std::string& name, const std::string& text) {
    const std::string kept = file(name);
    write(name, text);
    expect_error(ErrorKind::input, fs::path(name).filename().string(), [] { report_page(out()); });
    write(name, kept);
  }
  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> ReportOfLeads::folder_;

TEST_F(ReportOfLeads, LeadsAreReadBack) {
  const StoredResult result = read_stored_result(out());
  ASSERT_EQ(result.leads.size(), 3u);
  EXPECT_EQ(result.leads[2].name, kEvilLead);
  EXPECT_FALSE(result.leads[2].poor.empty());
  ASSERT_FALSE(result.poor.empty()) << "the end is flat in all leads";
  EXPECT_EQ(result.poor.back().quality, Quality::flat);
  EXPECT_LT(result.poor.size(), result.leads[2].poor.size());
  EXPECT_DOUBLE_EQ(result.poor.back().to, 100);
  EXPECT_GT(std::ranges::count_if(result.beats.lead, [](auto lead) { return lead >= 0; }), 50);
  for (std::int64_t k = 0; k < result.arrays.strip_beats.shape[0]; ++k)
    EXPECT_EQ(result.beats.lead[result.arrays.strip_beats.values[k]], result.row_lead(k)) << k;
  const auto first = result.envelope(0), second = result.envelope(1);
  ASSERT_EQ(first.bins(), second.bins());
  EXPECT_NEAR(second.low(2000), -0.7 * first.low(2000), 1e-4);
  EXPECT_NEAR(result.strip(1, 0)[1800], -0.7 * result.strip(0, 0)[1800], 1e-4);
}

TEST_F(ReportOfLeads, ThePageNamesLeadsAndTheirNamesAreNoMarkup) {
  const std::string page = report_page(out());
  EXPECT_EQ(page.find("<img src=x"), page.npos);
  EXPECT_NE(page.find("V5, \\u003cimg src=x>"), page.npos);
}

TEST_F(ReportOfLeads, ArraysThatDoNotFitAreRefused) {
  for (const char* name : {"strips", "other_envelopes", "reference", "row_leads", "poor"}) {
    const std::string path = std::string("report/") + name + ".npy", kept = file(path);
    SCOPED_TRACE(name);
    expect_refused(path, kept.substr(0, kept.size() - 8));
    expect_refused(path, kept.substr(0, 20));
    expect_refused(path, npy(std::vector<float>(6), {1, 2, 3}));
    expect_refused(path, npy(std::vector<std::int64_t>{7}, {1}));
    expect_refused(path, npy(std::vector<float>(), {std::int64_t{1} << 31, std::int64_t{1} << 31, 4}));
  }
  expect_refused("report/row_leads.npy", npy(std::vector<std::int64_t>(60, 3), {60}));
  expect_refused("report/row_leads.npy", npy(std::vector<std::int64_t>(60, -1), {60}));
  for (const std::vector<std::int64_t>& poor : std::vector<std::vector<std::int64_t>>{
           {-1, 5, 1}, {5, 5, 1}, {0, 36'001, 1}, {0, 5, 0}, {0, 5, 9}, {0, 50, 1, 40, 60, 1}})
    expect_refused("report/poor.npy", npy(poor, {std::ssize(poor) / 3, 3}));
}

// Older results have the least and the greatest value of each sample.
TEST_F(ReportOfLeads, SamplesMayBeStoredAsPairs) {
  const std::string page = report_page(out());
  for (const char* name : {"report/envelope.npy", "report/other_envelopes.npy"}) {
    const std::string kept = file(name);
    auto [shape, values] = read_npy<float>(out() / name);
    ASSERT_EQ(shape.back(), 1) << name;
    std::vector<float> pairs;
    for (const float value : values) pairs.insert(pairs.end(), {value, value});
    shape.back() = 2;
    write(name, npy(pairs, shape));
    EXPECT_EQ(report_page(out()), page) << name;
    write(name, kept);
    shape.end()[-2] *= 2;
    shape.back() = 1;
    expect_refused(name, npy(pairs, shape));
  }
}

TEST_F(ReportOfLeads, ABinOfSeveralSamplesHasTwoValues) {
  const std::string kept = file("summary.json"), envelope = file("report/envelope.npy");
  auto summary = nlohmann::ordered_json::parse(kept);
  summary["report"]["bin_samples"] = 2;
  write("summary.json", summary.dump());
  const std::int64_t bins = (read_npy<float>(out() / "report/envelope.npy").shape[0] - 1) / 2 + 1;
  expect_refused("report/envelope.npy", npy(std::vector<float>(bins), {bins, 1}));
  write("report/envelope.npy", npy(std::vector<float>(2 * bins), {bins, 2}));
  EXPECT_FALSE(report_page(out()).empty());
  write("report/envelope.npy", envelope);
  write("summary.json", kept);
}

TEST_F(ReportOfLeads, ASummaryThatDoesNotFitIsRefused) {
  const auto summary = nlohmann::ordered_json::parse(file("summary.json"));
  const auto expect = [&](const char* file_name, const char* pointer, const nlohmann::ordered_json& value) {
    auto changed = summary;
    changed[nlohmann::ordered_json::json_pointer(pointer)] = value;
    const std::string kept = file("summary.json");
    write("summary.json", changed.dump());
    expect_error(ErrorKind::input, file_name, [] { report_page(out()); });
    write("summary.json", kept);
  };
  expect("reference_leads", "/report/reference_leads", {0, 1, 7});
  expect("reference_leads", "/report/reference_leads", {-1, 1, 2});
  expect("reference.npy", "/report/reference_leads", {0, 1});
  expect("row_leads.npy", "/report/reference_leads", {1, 1, 1});
  expect("summary.json", "/report/reference_leads", "all");
  expect("other_envelopes.npy", "/report/other_bin_samples", 2);
  expect("other_envelopes.npy", "/report/other_bin_samples", 0);
  expect("other_envelopes.npy", "/report/other_bin_samples", std::numeric_limits<std::int64_t>::max());
  auto leads = summary["input"]["leads"];
  leads.erase(2);
  expect("", "/input/leads", leads);
  expect("summary.json", "/input/leads/0", 5);
  expect("input.leads", "/input/leads", nlohmann::ordered_json(1000, summary["input"]["leads"][0]));
}

TEST_F(ReportOfLeads, AQualityOfAnotherLeadIsRefused) {
  expect_refused("quality.csv", "from_s,to_s,quality,lead\n0,1,flat,3\n");
  expect_refused("quality.csv", "from_s,to_s,quality,lead\nx,1,flat,0\n");
  for (const char* lead : {"", "-1", "II", "1x"})
    expect_refused("quality.csv", std::string("from_s,to_s,quality,lead\n0,1,flat,") + lead + "\n");
}

// A result of one lead has no dimension of leads, and an older one has no leads.
TEST(ReportOfOneLead, StaysAsItWas) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  std::string ecg = contents_of(source_folder() + "/data/mitdb_205.csv");
  for (int i = 0; i < 4000; ++i) ecg += "0\n";  // 11 s of poor signal
  const auto run = run_program({"run", folder.write("ecg.csv", ecg).string(), "--rate", "360", "--device", "cpu",
                                "--set", "vae.epochs=1", "--out", out.string()});
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* name : {"other_envelopes", "row_leads", "poor"})
    EXPECT_FALSE(fs::exists(out / "report" / (std::string(name) + ".npy"))) << name;
  const auto before = read_stored_result(out);
  auto summary = nlohmann::ordered_json::parse(contents_of(out / "summary.json"));
  EXPECT_FALSE(summary["report"].contains("reference_leads"));
  // 0.1.0 wrote no leads, neither here nor in the lists.
  summary["input"].erase("leads");
  std::ofstream(out / "summary.json") << summary.dump();
  std::string text = contents_of(out / "quality.csv"), old;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) old += line.substr(0, line.rfind(',')) + "\n";
  std::ofstream(out / "quality.csv") << old;
  const StoredResult after = read_stored_result(out);
  EXPECT_EQ(after.leads.size(), 1u);
  EXPECT_EQ(after.leads[0].name, "heartbeats");
  EXPECT_EQ(after.poor.size(), before.poor.size());
  EXPECT_NO_THROW(report_page(out));
}

TEST(ReportLeads, QualityIsGivenToItsLead) {
  const TemporaryFolder folder;
  std::vector<StoredLead> leads(3);
  read_quality(folder.write("q.csv", "from_s,to_s,quality,lead\n1,2,flat,0\n5,6,noisy,1\n7,8,noisy,1\n0,1,missing,2\n"),
               leads);
  ASSERT_EQ(leads[0].poor.size(), 1u);
  ASSERT_EQ(leads[1].poor.size(), 2u);
  ASSERT_EQ(leads[2].poor.size(), 1u);
  EXPECT_EQ(leads[2].poor[0].quality, Quality::missing);
  std::vector<StoredLead> one(1);
  read_quality(folder.write("q.csv", "from_s,to_s,quality\n1,2,flat\n"), one);
  EXPECT_EQ(one[0].poor.size(), 1u);
}

TEST(ReportLeads, BeatsNameTheLeadThatSaysMost) {
  const TemporaryFolder folder;
  const auto path =
      folder.write("beats.csv", "sample,kept,score,anomalous,lead\n1,1,2,0,1\n2,1,2,0,0\n3,0,,,\n4,1,2,0,2\n");
  const auto table = read_beat_table(path, true, {}, 2);
  EXPECT_EQ(table.lead, (std::vector<std::int16_t>{1, 0, BeatTable::kNoLead, BeatTable::kNoLead}));
  EXPECT_EQ(read_beat_table(path, true, {}).lead, std::vector<std::int16_t>(4, BeatTable::kNoLead));
}

}  // namespace
}  // namespace beatscan
