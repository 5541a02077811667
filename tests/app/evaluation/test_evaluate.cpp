#include "app/evaluation/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "app/evaluation/truth.h"
#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

// --- ranking ---

using Scores = std::vector<double>;

TEST(Auroc, WorkedByHand) {
  EXPECT_EQ(auroc(Scores{2, 3}, Scores{0, 1}), 1.0);
  EXPECT_EQ(auroc(Scores{0, 1}, Scores{2, 3}), 0.0);
  EXPECT_EQ(auroc(Scores{1, 1}, Scores{1, 1, 1}), 0.5) << "ties count one half";
  EXPECT_EQ(auroc(Scores{1, 3}, Scores{1, 2}), 0.625) << "(½ + 0 + 1 + 1) / 4";
  EXPECT_EQ(auroc(Scores{-INFINITY, 3}, Scores{-INFINITY, 2}), 0.625) << "beats without a score are ties";
  EXPECT_EQ(auroc(Scores{}, Scores{1}), std::nullopt);
  EXPECT_EQ(auroc(Scores{1}, Scores{}), std::nullopt);
}

TEST(AveragePrecision, WorkedByHand) {
  EXPECT_EQ(average_precision(Scores{2, 3}, Scores{0, 1}), 1.0);
  // Down to score 3 the precision is 1 and half of the positives are detected. Down to score 1 the precision is 2 / 4.
  EXPECT_EQ(average_precision(Scores{1, 3}, Scores{1, 2}), 0.75);
  // This is the example of scikit-learn's documentation: positives 0.35 and 0.8, negatives 0.1 and 0.4.
  EXPECT_DOUBLE_EQ(average_precision(Scores{0.35, 0.8}, Scores{0.1, 0.4}).value(), 5.0 / 6);
  EXPECT_EQ(average_precision(Scores{1}, Scores{1, 1, 1}), 0.25) << "ties are one step";
  EXPECT_EQ(average_precision(Scores{}, Scores{1}), std::nullopt);
  EXPECT_EQ(average_precision(Scores{1}, Scores{}), 1.0);
}

double auroc_by_pairs(const Scores& positives, const Scores& negatives) {
  double won = 0;
  for (const double p : positives)
    for (const double n : negatives) won += p > n ? 1 : p == n ? 0.5 : 0;
  return won / static_cast<double>(positives.size() * negatives.size());
}

// The average precision by counting: each distinct score is the threshold once.
double average_precision_by_thresholds(const Scores& positives, const Scores& negatives) {
  std::set<double, std::greater<>> thresholds(positives.begin(), positives.end());
  thresholds.insert(negatives.begin(), negatives.end());
  double sum = 0, recall_before = 0;
  for (const double threshold : thresholds) {
    const auto chosen = [threshold](double score) { return score >= threshold; };
    const auto p = static_cast<double>(std::count_if(positives.begin(), positives.end(), chosen));
    const auto n = static_cast<double>(std::count_if(negatives.begin(), negatives.end(), chosen));
    const double recall = p / static_cast<double>(positives.size());
    sum += (recall - recall_before) * p / (p + n);
    recall_before = recall;
  }
  return sum;
}

TEST(Ranking, MatchesItsDefinitionOnRandomScoresWithTies) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const auto scores = [&](unsigned most, unsigned distinct) {
      Scores values(1 + random() % most);
      for (auto& value : values) value = static_cast<double>(random() % distinct) / 8 - 1;
      return values;
    };
    const unsigned distinct = 1u << random() % 10;  // from all equal to nearly all different
    const auto positives = scores(40, distinct), negatives = scores(80, distinct);
    // Both sums have a few thousand terms of at most 1, in different orders.
    ASSERT_NEAR(auroc(positives, negatives).value(), auroc_by_pairs(positives, negatives), 1e-12);
    ASSERT_NEAR(average_precision(positives, negatives).value(), average_precision_by_thresholds(positives, negatives),
                1e-12);
    ASSERT_NEAR(*auroc(positives, negatives) + *auroc(negatives, positives), 1, 1e-12) << "exchanging the classes";
  }
}

TEST(Ranking, DependsOnTheOrderOfTheScoresOnly) {
  const Scores positives = {0.1, 0.7, 0.7, 2}, negatives = {0.05, 0.1, 0.3, 0.7, 1};
  const auto grown = [](Scores scores) {
    for (auto& score : scores) score = std::exp(3 * score);
    return scores;
  };
  EXPECT_EQ(auroc(positives, negatives), auroc(grown(positives), grown(negatives)));
  EXPECT_EQ(average_precision(positives, negatives), average_precision(grown(positives), grown(negatives)));
}

// --- evaluate ---

// At 250 Hz, 150 ms are 37 samples.
const std::vector<ReferenceBeat> kReference = {{100, 'N'}, {300, 'N'}, {500, 'V'}, {700, 'A'}, {900, 'L'}, {1100, '/'}};
const std::vector<DetectedBeat> kDetected = {{101, 0.2}, {337, 0.4}, {505, 0.9}, {738, 0.8}, {905, {}}, {1100, 0.1}};

TEST(Evaluate, WorkedByHand) {
  const auto result = evaluate(kReference, kDetected, 250);
  EXPECT_EQ(result.detection.tp, 5);
  EXPECT_EQ(result.detection.fp, 1);
  EXPECT_EQ(result.detection.fn, 1);
  EXPECT_DOUBLE_EQ(result.detection.sensitivity.value(), 5.0 / 6);
  EXPECT_DOUBLE_EQ(result.detection.ppv.value(), 5.0 / 6);
  EXPECT_DOUBLE_EQ(result.detection.f1.value(), 5.0 / 6);
  // V has the score 0.9, A was not detected, and N has 0.2, 0.4 and no score. The paced beat is excluded.
  EXPECT_EQ(result.anomaly.v.positives, 1);
  EXPECT_EQ(result.anomaly.v.negatives, 3);
  EXPECT_EQ(result.anomaly.v.auroc, 1.0);
  EXPECT_EQ(result.anomaly.svf.positives, 2);
  EXPECT_EQ(result.anomaly.svf.negatives, 3);
  EXPECT_DOUBLE_EQ(result.anomaly.svf.auroc.value(), (3 + 0.5) / 6);
  EXPECT_DOUBLE_EQ(result.anomaly.svf.average_precision.value(), (1.0 + 2.0 / 5) / 2);
}

TEST(Evaluate, CountsSymbolBySymbol) {
  auto detected = kDetected;
  detected[0].anomalous = detected[2].anomalous = detected[3].anomalous = true;  // the last one is a false detection
  const auto json = to_json(evaluate(kReference, detected, 250));
  EXPECT_EQ(json["false_beats"], 1);
  EXPECT_EQ(json["symbols"].size(), 5u);
  const auto counts = [&](const char* symbol) { return json["symbols"][symbol].dump(); };
  EXPECT_EQ(counts("N"), R"({"beats":2,"found":2,"anomalous":1})");
  EXPECT_EQ(counts("V"), R"({"beats":1,"found":1,"anomalous":1})");
  EXPECT_EQ(counts("A"), R"({"beats":1,"found":0,"anomalous":0})");
  EXPECT_EQ(counts("L"), R"({"beats":1,"found":1,"anomalous":0})");
  EXPECT_EQ(counts("/"), R"({"beats":1,"found":1,"anomalous":0})");
}

TEST(Evaluate, ABeatWithoutScoreRanksBelowEveryRealScore) {
  const std::vector<ReferenceBeat> reference = {{100, 'V'}, {300, 'N'}};
  EXPECT_EQ(evaluate(reference, std::vector<DetectedBeat>{{300, -1e300}}, 250).anomaly.v.auroc, 0.0);
}

TEST(Evaluate, KeepsAToleranceOfWholeSamples) {
  const std::vector<ReferenceBeat> reference = {{1000, 'N'}};
  for (const double rate : {100.0, 128.0, 250.0, 360.0, 500.0, 1000.0})
    for (const double tolerance_ms : {0.0, 10.0, 50.0, 150.0}) {
      SCOPED_TRACE(testing::Message() << rate << " Hz, " << tolerance_ms << " ms");
      const auto samples = static_cast<std::int64_t>(rate) * static_cast<std::int64_t>(tolerance_ms) / 1000;
      const auto tp = [&](std::int64_t at) {
        return evaluate(reference, std::vector<DetectedBeat>{{at, {}}}, rate, tolerance_ms).detection.tp;
      };
      EXPECT_EQ(tp(1000 - samples), 1);
      EXPECT_EQ(tp(1000 + samples), 1);
      EXPECT_EQ(tp(1000 + samples + 1), 0);
    }
}

TEST(Evaluate, WhatDoesNotExistIsNull) {
  EXPECT_EQ(to_json(evaluate({}, {}, 250)).dump(),
            R"({"detection":{"tolerance_ms":150.0,"tp":0,"fp":0,"fn":0,"sensitivity":null,"ppv":null,"f1":null},)"
            R"("false_beats":0,"symbols":{},)"
            R"("anomaly":{"V":{"auroc":null,"average_precision":null,"positives":0,"negatives":0,"roc":null},)"
            R"("SVF":{"auroc":null,"average_precision":null,"positives":0,"negatives":0,"roc":null}}})");
  const auto nothing_found = evaluate(kReference, {}, 250).detection;
  EXPECT_EQ(nothing_found.sensitivity, 0.0);
  EXPECT_EQ(nothing_found.ppv, std::nullopt);
  EXPECT_EQ(nothing_found.f1, 0.0);
}

// The same beats with the scores of the comparison method: V has 0.3, and N has 0.4, 0.1 and no score.
std::vector<DetectedBeat> detected_with_baseline() {
  auto detected = kDetected;
  const std::optional<double> baseline[] = {0.4, 0.1, 0.3, 0.9, {}, 0.2};
  for (std::size_t i = 0; i < detected.size(); ++i) detected[i].baseline = baseline[i];
  return detected;
}

TEST(Evaluate, TheBaselineIsRankedTheSameWay) {
  const auto detected = detected_with_baseline();
  const auto result = evaluate(kReference, detected, 250);
  ASSERT_TRUE(result.baseline.has_value());
  EXPECT_DOUBLE_EQ(result.baseline->v.auroc.value(), 2.0 / 3) << "above 0.1 and no score";
  EXPECT_DOUBLE_EQ(result.baseline->v.average_precision.value(), 1.0 / 2);
  EXPECT_EQ(result.baseline->svf.positives, 2);
  EXPECT_EQ(result.baseline->svf.negatives, 3);
  EXPECT_DOUBLE_EQ(result.baseline->svf.auroc.value(), (2 + 0.5) / 6) << "A was not found";
  EXPECT_EQ(result.anomaly.v.auroc, 1.0) << "the scores' own ranking stays";
  const auto json = to_json(result);
  EXPECT_EQ(json["baseline"]["V"]["auroc"], *result.baseline->v.auroc);
  EXPECT_EQ(json["baseline"]["SVF"]["negatives"], 3);
  EXPECT_EQ(json["anomaly"], to_json(evaluate(kReference, kDetected, 250))["anomaly"]);
}

TEST(Evaluate, TheBaselineOfItsOwnScoresIsTheRanking) {
  auto detected = kDetected;
  for (auto& beat : detected) beat.baseline = beat.score;
  const auto json = to_json(evaluate(kReference, detected, 250));
  EXPECT_EQ(json["baseline"], json["anomaly"]);
}

TEST(Evaluate, WithoutBaselineScoresThereIsNoBaseline) {
  EXPECT_FALSE(evaluate(kReference, kDetected, 250).baseline.has_value());
  EXPECT_FALSE(to_json(evaluate(kReference, kDetected, 250)).contains("baseline"));
}

// --- evaluate_folder ---

class EvaluateFolder : public testing::Test {
 protected:
  void SetUp() override {
    truth_ = folder_.write("truth.csv", "sample,symbol\n100,N\n300,N\n500,V\n");
    folder_.write("summary.json", R"({"schema": 1, "sample_rate": {"hz": 250, "from": "option"}})");
    folder_.write("beats.csv", "beat,sample,kept,score,anomalous\n0,101,1,0.25,0\n1,290,0,,\n2,530,1,1e-1,1\n");
  }
  void expect_refused(ErrorKind status, const std::string& message) {
    expect_error(status, message, [&] { evaluate_folder({folder_.path(), truth_}); });
  }

  TemporaryFolder folder_;
  std::filesystem::path truth_;
};

TEST_F(EvaluateFolder, ReadsRateAndBeats) {
  EXPECT_EQ(to_json(evaluate_folder({folder_.path(), truth_})).dump(),
            R"({"detection":{"tolerance_ms":150.0,"tp":3,"fp":0,"fn":0,"sensitivity":1.0,"ppv":1.0,"f1":1.0},)"
            R"("false_beats":0,"symbols":{"N":{"beats":2,"found":2,"anomalous":0},)"
            R"("V":{"beats":1,"found":1,"anomalous":1}},)"
            R"("anomaly":{"V":{"auroc":0.5,"average_precision":0.5,"positives":1,"negatives":2,)"
            R"("roc":[[0.0,0.0],[0.5,0.0],[0.5,1.0],[1.0,1.0]]},)"
            R"("SVF":{"auroc":0.5,"average_precision":0.5,"positives":1,"negatives":2,)"
            R"("roc":[[0.0,0.0],[0.5,0.0],[0.5,1.0],[1.0,1.0]]}}})");
  EXPECT_EQ(evaluate_folder({folder_.path(), truth_, {}, 50}).detection.tp, 2);
  EXPECT_EQ(evaluate_folder({folder_.path(), truth_, {}, 50, 1000.0}).detection.tp, 3) << "the rate given wins";
}

TEST_F(EvaluateFolder, BeatsThatWereCutOffAreRefused) {
  folder_.write("summary.json", R"({"sample_rate": {"hz": 250}, "beats": {"found": 3}})");
  EXPECT_EQ(evaluate_folder({folder_.path(), truth_}).detection.tp, 3);
  folder_.write("summary.json", R"({"sample_rate": {"hz": 250}, "beats": {"found": 4}})");
  expect_refused(ErrorKind::input, "beats.csv: has 3 beats, and summary.json has 4");
}

TEST_F(EvaluateFolder, SaysWhereTheTruthIsOfAnotherRecording) {
  EXPECT_TRUE(evaluate_folder({folder_.path(), truth_}).warnings.empty());
  for (const auto& [samples, beyond] : {std::pair("501", 0u), std::pair("500", 1u), std::pair("1e9", 0u)}) {
    folder_.write("summary.json",
                  R"({"sample_rate": {"hz": 250}, "input": {"samples": )" + std::string(samples) + "}}");
    EXPECT_EQ(evaluate_folder({folder_.path(), truth_}).warnings.size(), beyond) << samples;
  }
  folder_.write("summary.json", R"({"sample_rate": {"hz": 250}, "input": {"samples": 200}})");
  EXPECT_EQ(evaluate_folder({folder_.path(), truth_}).warnings,
            std::vector<std::string>{truth_.string() + ": 2 of 3 beats lie beyond the end of the recording"});
}

TEST_F(EvaluateFolder, ReadsTheBaselineWhereThereIsOne) {
  EXPECT_FALSE(evaluate_folder({folder_.path(), truth_}).baseline.has_value()) << "no such column";
  folder_.write("beats.csv", "baseline_score,sample,score\n0.5,101,0.25\n,290,\n0.75,530,0.1\n");
  const auto result = evaluate_folder({folder_.path(), truth_});
  EXPECT_EQ(result.anomaly.v.auroc, 0.5);
  ASSERT_TRUE(result.baseline.has_value());
  EXPECT_EQ(result.baseline->v.auroc, 1.0);
  folder_.write("beats.csv", "sample,score,baseline_score\n101,0.25,\n290,,\n530,0.1,\n");
  EXPECT_FALSE(evaluate_folder({folder_.path(), truth_}).baseline.has_value()) << "an empty column";
  folder_.write("beats.csv", "sample,score,baseline_score\n101,0.25,high\n");
  expect_refused(ErrorKind::input, "beats.csv:2: 'high' is not a finite score");
}

TEST_F(EvaluateFolder, AsksForTheRateWhereTheRunKnewNone) {
  folder_.write("summary.json", R"({"sample_rate": {"hz": null}})");
  expect_refused(ErrorKind::usage, "--rate");
  EXPECT_EQ(evaluate_folder({folder_.path(), truth_, {}, 150, 250.0}).detection.tp, 3);
}

TEST_F(EvaluateFolder, NamesThePlaceOfABadFile) {
  folder_.write("beats.csv", "sample,score\n101,nan\n");
  expect_refused(ErrorKind::input, "beats.csv:2: 'nan' is not a finite score");
  folder_.write("beats.csv", "sample,score\n1e3,1\n");
  expect_refused(ErrorKind::input, "beats.csv:2: '1e3' is not a sample number");
  folder_.write("beats.csv", "sample\n1\n");
  expect_refused(ErrorKind::input, "beats.csv:1: the header has no column 'score'");
  folder_.write("summary.json", R"({"sample_rate": )");
  expect_refused(ErrorKind::input, "summary.json: parse error at line 1, column 17: ");
  folder_.write("summary.json", R"({"x": 1e999})");
  expect_refused(ErrorKind::input, "summary.json: number overflow parsing '1e999'; give the output folder");
  folder_.write("summary.json", R"({"sample_rate": 250})");
  expect_refused(ErrorKind::input, "summary.json: has no sample_rate.hz");
  folder_.write("summary.json", R"({"sample_rate": {"hz": "250"}})");
  expect_refused(ErrorKind::input, "summary.json: sample_rate.hz is not a number");
  folder_.write("summary.json", R"({"sample_rate": {"hz": 0}})");
  expect_refused(ErrorKind::usage, "--rate");
  expect_error(ErrorKind::input, "missing: is not a folder (No such file or directory); give the folder of a result",
               [&] {
                 evaluate_folder({folder_.path() / "missing", truth_});
               });
  expect_error(ErrorKind::usage, "tolerance", [&] { evaluate_folder({folder_.path(), truth_, {}, -1}); });
}

}  // namespace
}  // namespace beatscan
