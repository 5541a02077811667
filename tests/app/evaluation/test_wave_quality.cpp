#include "app/evaluation/wave_quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "app/common/npy.h"
#include "app/evaluation/evaluate_batch.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wave_marks.h"

namespace beatscan {
namespace {

// Waves with a peak alone, in ms.
WaveTruth truth_of(const std::vector<std::pair<WaveType, std::int64_t>>& peaks) {
  WaveTruth truth;
  for (const auto& [type, ms] : peaks) truth.waves.push_back({type, {}, 1000 * ms, {}});
  truth.first_us = truth.waves.front().peak_us;
  truth.last_us = truth.waves.back().peak_us;
  return truth;
}

FoundWaves found_peaks(const std::vector<std::pair<std::int64_t, std::int64_t>>& p_ms_of_beats,
                       const std::vector<std::int64_t>& beats_ms) {
  FoundWaves found;
  for (const std::int64_t ms : beats_ms) found.beats_us.push_back(1000 * ms);
  for (const auto& [ms, beat] : p_ms_of_beats) found.fiducials[1].push_back({1000 * ms, beat});
  return found;
}

using enum WaveType;

// Errors of -10, 20 and 20 ms: the mean is 10 ms, and the deviations -20, 10 and 10 give 600 / 2 = 300.
TEST(CompareWaves, WorkedByHand) {
  const auto truth = truth_of({{p, 100}, {qrs, 250}, {p, 1100}, {qrs, 1250}, {p, 2100}, {qrs, 2250}, {p, 3100}});
  const auto found = found_peaks({{90, 0}, {1120, 1}, {1500, 1}, {2120, 2}, {3300, 2}}, {240, 1260, 2250});
  const auto quality = *compare_waves(truth, found, 150).fiducials[1];
  EXPECT_EQ(quality.reference, 4);
  EXPECT_EQ(quality.matched, 3);
  EXPECT_EQ(quality.detected, 4) << "the one at 1500 ms is false; the one at 3300 ms is after the last annotation";
  EXPECT_DOUBLE_EQ(*quality.sensitivity(), 0.75);
  EXPECT_DOUBLE_EQ(*quality.ppv(), 0.75);
  EXPECT_DOUBLE_EQ(*quality.f1(), 0.75);
  EXPECT_DOUBLE_EQ(*quality.mean_ms(), 10);
  EXPECT_DOUBLE_EQ(*quality.sd_ms(), std::sqrt(300.0));
}

TEST(CompareWaves, OneIsMatchedOnceAndWithinTheTolerance) {
  const auto truth = truth_of({{p, 100}, {p, 300}, {p, 1000}});
  const auto compared = [&](std::int64_t ms, double tolerance_ms) {
    return *compare_waves(truth, found_peaks({{200, 0}, {ms, 0}}, {0}), tolerance_ms).fiducials[1];
  };
  EXPECT_EQ(compared(1150, 150).matched, 2);
  EXPECT_EQ(compared(1151, 150).matched, 1);
  EXPECT_EQ(compared(1151, 150).detected, 1) << "after the last annotation";
  EXPECT_EQ(compared(310, 150).matched, 2) << "the one at 200 ms goes with the first";
  EXPECT_EQ(compared(310, 50).matched, 1);
}

// The QT Database annotates the waves of about 30 beats, at various places.
TEST(CompareWaves, WavesOfBeatsThatAreNotAnnotatedAreNotFalse) {
  auto truth = truth_of({{p, 100}, {qrs, 250}, {p, 3100}, {qrs, 3250}});
  const auto found = found_peaks({{100, 0}, {1100, 1}, {2100, 2}, {3100, 3}}, {250, 1250, 2250, 3250});
  EXPECT_EQ(compare_waves(truth, found, 150).fiducials[1]->detected, 2);
  std::erase_if(truth.waves, [](const auto& wave) { return wave.type == qrs; });
  EXPECT_EQ(compare_waves(truth, found, 150).fiducials[1]->detected, 4) << "no beats are annotated";
}

// LUDB lacks the onset of some first beats.
TEST(CompareWaves, AnOnsetThatIsNotMarkedIsNotFalse) {
  WaveTruth truth{.waves = {{qrs, {}, 250'000, 300'000}, {qrs, 1'200'000, 1'250'000, 1'300'000}},
                  .has_onsets = true,
                  .has_ends = true,
                  .first_us = 0,
                  .last_us = 2'000'000};
  FoundWaves found{.beats_us = {250'000, 1'250'000}};
  auto& onsets = found.fiducials[static_cast<std::size_t>(WaveFiducial::qrs_onset)];
  onsets = {{210'000, 0}, {1'210'000, 1}};
  const auto compared = [&] { return *compare_waves(truth, found, 150).fiducials[3]; };
  EXPECT_EQ(compared().reference, 1);
  EXPECT_EQ(compared().detected, 1);
  onsets.push_back({600'000, 0});
  EXPECT_EQ(compared().detected, 2) << "there is no such wave";
}

TEST(CompareWaves, WhatDoesNotExistIsNull) {
  const auto json = to_json(compare_waves(truth_of({{p, 100}, {p, 200}}), found_peaks({{110, 0}}, {150}), 50));
  EXPECT_EQ(json["p_peak"].dump(),
            R"({"reference":2,"detected":1,"matched":1,"sensitivity":0.5,"ppv":1.0,"f1":0.6666666666666666,)"
            R"("mean_ms":10.0,"sd_ms":null})");
  EXPECT_TRUE(json["lead"].is_null());
  EXPECT_EQ(json["tolerance_ms"], 50);
  for (const char* other : {"p_onset", "p_end", "qrs_onset", "qrs_end", "t_peak", "t_end"})
    EXPECT_TRUE(json.contains(other) && json[other].is_null()) << other;
  const FiducialQuality none;
  EXPECT_FALSE(none.sensitivity() || none.ppv() || none.f1() || none.mean_ms() || none.sd_ms());
}

TEST(CompareWaves, SumsAreThoseOfAllRecordings) {
  FiducialQuality sum{.reference = 2, .detected = 2, .matched = 2, .sum_ms = 10, .sum_of_squares = 100};
  sum += {.reference = 3, .detected = 2, .matched = 1, .sum_ms = 20, .sum_of_squares = 400};
  EXPECT_EQ(sum.reference, 5);
  EXPECT_DOUBLE_EQ(*sum.ppv(), 0.75);
  EXPECT_DOUBLE_EQ(*sum.mean_ms(), 10);
  EXPECT_DOUBLE_EQ(*sum.sd_ms(), 10) << "of 0, 10 and 20";
}

// --- results on disk ---

class EvaluateWaves : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("summary.json",
                  R"({"sample_rate": {"hz": 250}, "input": {"leads": [{"name": "I"}, {"name": "A"}, {"name": "A"}]}})");
    folder_.write("beats.csv", "sample,score," + kTimes +
                                   "\n125,1,0.360000,0.404000,0.440000,0.480000,0.520000,0.680000,"
                                   "0.760000\n375,1,,,,1.484000,1.520000,1.680000,1.760000\n");
    truth_ = folder_.write("x.q1c", wave_marks("(90 p100 )110 (120 N125 )130 t170 )190 (370 N375 )380 t420 )440"));
  }
  nlohmann::ordered_json compared(const std::string& lead = "") {
    return to_json(evaluate_folder({.folder = folder_.path(), .truth = truth_, .lead = lead}));
  }
  void write_waves_csv() {
    folder_.write("waves.csv", "beat,lead," + kTimes + ",pr_ms\n0,0,0.352,0.4,0.44,0.48,0.52,0.68,0.76,1\n" +
                                   "0,2,,,,0.488,0.52,0.68,0.76,1\n1,0,,,,1.476,1.52,1.68,1.76,\n1,2,,,,,,,,\n");
  }
  const std::string kTimes = "p_onset_s,p_peak_s,p_end_s,qrs_onset_s,qrs_end_s,t_peak_s,t_end_s";
  TemporaryFolder folder_;
  std::filesystem::path truth_;
};

TEST_F(EvaluateWaves, ThoseOverLeadsAreInTheTableOfBeats) {
  const auto json = compared();
  EXPECT_EQ(json["detection"]["tp"], 2);
  const auto& waves = json["waves"];
  EXPECT_TRUE(waves["lead"].is_null());
  EXPECT_EQ(waves["p_peak"]["matched"], 1);
  EXPECT_EQ(waves["p_peak"]["mean_ms"], 4);
  EXPECT_EQ(waves["qrs_onset"]["matched"], 2);
  EXPECT_EQ(waves["qrs_onset"]["mean_ms"], 2) << "of 0 and 4 ms";
  EXPECT_DOUBLE_EQ(waves["qrs_onset"]["sd_ms"], std::sqrt(8.0));
  EXPECT_EQ(waves["t_peak"]["reference"], 2);
  EXPECT_EQ(waves["t_end"]["f1"], 1);
}

TEST_F(EvaluateWaves, PWavesWithoutAQrsComplexCount) {
  std::filesystem::create_directory(folder_.path() / "report");
  folder_.write("report/non_conducted_p.npy", npy(std::vector<std::int64_t>{222, 242, 300, 310}, {2, 2}));
  truth_ = folder_.write("x.q1c", wave_marks("(90 p100 )110 (120 N125 )130 (220 p230 )240 (370 N375 )380"));
  const auto waves = compared()["waves"];
  EXPECT_EQ(waves["p_onset"]["reference"], 2);
  EXPECT_EQ(waves["p_onset"]["matched"], 2);
  EXPECT_EQ(waves["p_onset"]["detected"], 3);
  EXPECT_EQ(waves["p_peak"]["mean_ms"], 6) << "of 4 and 8 ms";
}

TEST_F(EvaluateWaves, NothingChangesWithoutAnnotationsOfWaves) {
  const auto beats = folder_.write("x.atr", wave_marks("N125 N375"));
  const auto json = to_json(evaluate_folder({folder_.path(), beats}));
  EXPECT_FALSE(json.contains("waves"));
  EXPECT_TRUE(evaluate_folder({folder_.path(), beats}).warnings.empty());
  expect_error(ErrorKind::usage, "x.atr: has no annotations of waves, so there is none of a lead to compare",
               [&] { evaluate_folder({.folder = folder_.path(), .truth = beats, .lead = "I"}); });
}

TEST_F(EvaluateWaves, AResultWithoutWavesIsReported) {
  folder_.write("beats.csv", "sample,score\n125,1\n375,1\n");
  EXPECT_FALSE(compared().contains("waves"));
  EXPECT_EQ(evaluate_folder({folder_.path(), truth_}).warnings,
            std::vector{truth_.string() + " has annotations of waves, and the result has none to compare them with"});
}

TEST_F(EvaluateWaves, ThoseOfALeadAreInTheTableOfWaves) {
  write_waves_csv();
  auto waves = compared("I")["waves"];
  EXPECT_EQ(waves["lead"], "I");
  EXPECT_EQ(waves["p_onset"]["mean_ms"], -8);
  EXPECT_EQ(waves["qrs_onset"]["mean_ms"], -2) << "of 0 and -4 ms";
  EXPECT_EQ(compared("0")["waves"]["qrs_onset"], waves["qrs_onset"]) << "by its position";
  EXPECT_EQ(compared("i")["waves"]["qrs_onset"], waves["qrs_onset"]) << "LUDB's annotators have small letters";
  waves = compared("2")["waves"];
  EXPECT_EQ(waves["p_onset"]["detected"], 0);
  EXPECT_EQ(waves["qrs_onset"]["sensitivity"], 0.5);
}

TEST_F(EvaluateWaves, SaysWhichLeadsThereAre) {
  const auto refused = [&](const std::string& lead, const std::string& what) {
    expect_error(ErrorKind::usage, what, [&] { compared(lead); });
  };
  refused("I", "waves.csv: is not there, and --lead needs it; run the analysis with --waves");
  write_waves_csv();
  refused("A", "--lead: the result has several leads 'A'; give the position from 0");
  refused("V9", "--lead: the result has no lead 'V9'; give the position from 0, or one of I, A, A");
  refused("3", "--lead: the result has no lead '3'");
  refused("1", "waves.csv: has no waves of lead '1', which was left out of the analysis; give another --lead");
}

TEST_F(EvaluateWaves, NamesThePlaceOfABadCell) {
  const auto refused = [&](const char* name, const std::string& text, const std::string& what, const char* lead) {
    write_waves_csv();
    folder_.write(name, text);
    expect_error(ErrorKind::input, what, [&] { compared(lead); });
  };
  refused("waves.csv", "beat,lead," + kTimes + "\n0,0,x,,,,,,\n", "waves.csv:2: 'x' is not a time in s", "I");
  refused("waves.csv", "beat,lead," + kTimes + "\n7,0,,,,,,,\n", "waves.csv:2: beat 7 is not in the table of beats",
          "I");
  refused("waves.csv", "beat,lead\n0,0\n", "waves.csv:1: the header has no column 'p_onset_s'", "I");
  refused("beats.csv", "sample,score," + kTimes + "\n125,1,,,,1e99,,,\n", "beats.csv:2: '1e99' is not a time in s", "");
  std::filesystem::create_directory(folder_.path() / "report");
  SetUp();
  refused("report/non_conducted_p.npy", npy(std::vector<std::int64_t>{1}, {1, 1}), "does not hold onsets and ends", "");
}

TEST_F(EvaluateWaves, ABatchAddsThemUp) {
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directories(folder_.path() / "out" / name);
    for (const char* file : {"summary.json", "beats.csv"})
      folder_.write("out/" + std::string(name) + "/" + file, contents_of(folder_.path() / file));
  }
  std::filesystem::create_directory(folder_.path() / "truth");
  folder_.write("truth/a.atr", contents_of(truth_));
  folder_.write("truth/b.atr", wave_marks("N125 N375"));
  auto json = to_json(evaluate_batch({folder_.path() / "out", folder_.path() / "truth"}));
  EXPECT_FALSE(json["records"]["b"].contains("waves"));
  EXPECT_EQ(json["gross"]["waves"]["qrs_onset"]["matched"], 2);
  EXPECT_EQ(json["average"]["waves"]["qrs_onset"]["records_with_mean_ms"], 1);
  folder_.write("truth/b.atr", wave_marks("(119 N125 )130 (369 N375 )380"));
  json = to_json(evaluate_batch({folder_.path() / "out", folder_.path() / "truth"}));
  EXPECT_EQ(json["gross"]["waves"]["qrs_onset"]["matched"], 4);
  EXPECT_EQ(json["gross"]["waves"]["qrs_onset"]["mean_ms"], 4) << "of 0, 4, 4 and 8 ms";
  EXPECT_EQ(json["average"]["waves"]["qrs_onset"]["mean_ms"], 4) << "of 2 and 6 ms";
  for (const char* name : {"a", "b"}) folder_.write("truth/" + std::string(name) + ".atr", wave_marks("N125 N375"));
  json = to_json(evaluate_batch({folder_.path() / "out", folder_.path() / "truth"}));
  EXPECT_FALSE(json["gross"].contains("waves") || json["average"].contains("waves"));
}

}  // namespace
}  // namespace beatscan
