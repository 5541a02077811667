// Compares results in folders by the standard: annotation files, batches, tables and JSON.
#include "app/evaluation/ec57/comparison.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/evaluation/ec57/tables.h"
#include "app/output/annotation_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan::ec57 {
namespace {

// Records of 500 s at 100 Hz, with a beat each second. The classes of beats in the test period are given.
std::vector<BeatMark> beats_of(const std::string& symbols) {
  std::vector<BeatMark> beats;
  for (std::int64_t i = 1; i <= 400; ++i) beats.push_back({100 * i, 'N'});
  for (std::size_t i = 0; i < symbols.size(); ++i) beats[309 + i].symbol = symbols[i];
  return beats;
}

Episode episode(EpisodeLabel label, double start, double end) { return {.start = start, .end = end, .label = label}; }

class Ec57Results : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_.path() / "truth");
    add("a", "VVNNS", "VVNNN");
    add("b", "NNNN", "NVNN", {episode(EpisodeLabel::noise, 39150, 39950)}, 391);
  }

  // Writes a record: symbols of the reference and of the result, whose beats end after `last`.
  void add(const std::string& name, const std::string& reference, const std::string& found,
           const std::vector<Episode>& episodes = {}, std::size_t last = 400) {
    const auto out = folder_.path() / "out" / name;
    std::filesystem::create_directories(out);
    folder_.write("out/" + name + "/summary.json", R"({"sample_rate": {"hz": 100}, "input": {"samples": 50000}})");
    folder_.write("out/" + name + "/beats.csv", "sample,score\n");
    folder_.write("truth/" + name + ".atr", annotation_file(beats_of(reference), {}, 100));
    auto beats = beats_of(found);
    beats.resize(last);
    folder_.write("out/" + name + "/" + name + ".vae", annotation_file(beats, episodes, 100));
  }

  EvaluateRequest request(const std::string& result = "", const std::string& truth = "") const {
    return {folder_.path() / "out" / result, folder_.path() / "truth" / truth};
  }

  TemporaryFolder folder_;
};

TEST_F(Ec57Results, ABatch) {
  const auto json = to_json(compare_results(request(), {}), 150);
  EXPECT_EQ(json["records"].size(), 2U);
  EXPECT_EQ(json["records"]["a"]["beats"]["v_sensitivity"], 1);
  EXPECT_EQ(json["records"]["a"]["beats"]["s_sensitivity"], 0);
  EXPECT_EQ(json["records"]["b"]["beats"]["matrix"]["N"]["V"], 1);
  EXPECT_EQ(json["records"]["b"]["beats"]["matrix"]["N"]["X"], 8) << "beats 392 to 399 of 400";
  EXPECT_EQ(json["records"]["b"]["shutdown"]["duration_s"], 8);
  EXPECT_EQ(json["gross"]["beats"]["v_ppv"], 2.0 / 3);
  EXPECT_EQ(json["average"]["beats"]["v_ppv"], 0.5) << "of 1 and 0";
  EXPECT_EQ(json["average"]["beats"]["records_with_v_sensitivity"], 1);
  EXPECT_EQ(json["gross"]["runs"]["V"]["couplet_sensitivity"], 1);
  EXPECT_EQ(json["gross"]["runs"]["V"]["matrices"]["sensitivity"][2][2], 1);
  EXPECT_TRUE(json["gross"]["episodes"]["AF"]["sensitivity"].is_null());
  EXPECT_EQ(json["records"]["a"]["heart_rate"]["rms_error"], 0);
  EXPECT_EQ(json["records"]["a"]["heart_rate"]["mean_reference_bpm"], 60);
}

TEST_F(Ec57Results, ExcludedResults) {
  const std::vector<std::string> excluded = {"b"}, unknown = {"c"};
  const auto compared = compare_results(request(), excluded);
  ASSERT_EQ(compared.size(), 1U);
  EXPECT_TRUE(compared.contains("a"));
  expect_error(ErrorKind::usage, "out/ has no such result; leave the name out",
               [&] { compare_results(request(), unknown); });
  expect_error(ErrorKind::usage, "--exclude is for a batch", [&] { compare_results(request("a", "a.atr"), excluded); });
}

TEST_F(Ec57Results, OneResultWithBeatsInATableAndRhythmsInAnother) {
  folder_.write("truth/beats.csv", "sample,symbol\n31000,V\n31100,V\n31200,N\n");
  folder_.write("truth/rhythms.csv", "sample,label\n32000,AFIB\n33000,N\n34000,VF\n35000,N\n");
  EvaluateRequest one = request("a/", "beats.csv");
  one.rhythms = folder_.path() / "truth/rhythms.csv";
  const auto compared = compare_results(one, {});
  ASSERT_TRUE(compared.contains("a"));
  EXPECT_EQ(compared.at("a").beats.at('V', 'V'), 2);
  EXPECT_EQ(compared.at("a").af.reference_s, 10);
  EXPECT_EQ(compared.at("a").vf.reference_s, 10);
}

TEST_F(Ec57Results, SaysWhatIsMissing) {
  EvaluateRequest lead = request("a", "a.atr");
  lead.lead = "II";
  expect_error(ErrorKind::usage, "--lead is for waves", [&] { compare_results(lead, {}); });
  std::filesystem::remove(folder_.path() / "out/a/a.vae");
  expect_error(ErrorKind::input, "a: has 0 annotation files RECORD.vae instead of one; run the analysis again",
               [&] { compare_results(request("a", "a.atr"), {}); });
}

TEST_F(Ec57Results, WarnsOfAShortRecording) {
  folder_.write("out/a/summary.json", R"({"sample_rate": {"hz": 100}, "input": {"samples": 3000}})");
  const auto compared = compare_results(request("a", "a.atr"), {});
  const auto& warnings = compared.at("a").warnings;
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find("beyond"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[1].find("within the first 5 minutes"), std::string::npos);
}

TEST_F(Ec57Results, Tables) {
  const std::string text = tables_text(compare_results(request(), {}), 150);
  EXPECT_TRUE(text.starts_with("ANSI/AAMI EC57, 2 recordings, from 5:00 to the end, match window 150 ms\n")) << text;
  for (const char* line : {"\nRecord   TPs  FN  TPp  FP  ESe  E+P  DSe  D+P  ref. s  test s\n",
                           "\nb         8   0   0   0   0   7.92  7.92     -     -  -        8\n",
                           "\nAverage                       3.96  3.96  0.00  0.00  -        4\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(text.find(" \n"), std::string::npos) << "no blank at the end of a line";
}

}  // namespace
}  // namespace beatscan::ec57
