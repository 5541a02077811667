#include "stages/score/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/classify/beat_findings.h"
#include "stages/score/scores.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Flags = std::vector<std::uint8_t>;

std::vector<Split> split_of(const Flags& in_train) {
  std::vector<Split> split;
  for (const auto flag : in_train) split.push_back(flag ? Split::train : Split::test);
  return split;
}

// The standard deviation of a normal distribution in units of its MAD.
constexpr double kMadToDeviation = 1.4826;

RowScores rows_of(std::vector<float> errors, std::vector<float> kl = {}) {
  if (kl.empty()) kl.assign(errors.size(), 0);
  return {std::move(errors), std::move(kl), {}};
}

BeatScores score_all_training(const std::vector<float>& errors, const ScoreOptions& options = {}) {
  return score_beats(rows_of(errors), split_of(Flags(errors.size(), 1)), 0.1, options);
}

// The losses are powers of two, so their logarithms, medians and deviations are multiples of half of log 2.
TEST(ScoreBeats, AnOddNumberByHand) {
  const auto result = score_all_training({1, 2, 4, 8, 16});  // median 2, deviations 2 1 0 1 2, MAD 1
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(result.score[i], (i - 2) / kMadToDeviation, 1e-6);
}

TEST(ScoreBeats, AnEvenNumberByHand) {
  const auto result = score_all_training({8, 1, 4, 2});  // median 1.5, deviations 1.5 1.5 0.5 0.5, MAD 1
  const double expected[] = {1.5, -1.5, 0.5, -0.5};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(result.score[i], expected[i] / kMadToDeviation, 1e-6);
}

TEST(ScoreBeats, TestBeatsDoNotMoveTheMedian) {
  const auto result = score_beats(rows_of({1024, 1, 2, 4, 8, 16, 1024}), split_of(Flags{0, 1, 1, 1, 1, 1, 0}), 0.1,
                                  {.threshold_deviations = 5});
  EXPECT_NEAR(result.score[1], -2 / kMadToDeviation, 1e-6);
  EXPECT_NEAR(result.score[0], 8 / kMadToDeviation, 1e-5);
  EXPECT_EQ(result.anomalous, (Flags{1, 0, 0, 0, 0, 0, 1})) << "8 / 1.4826 is above 5";
  EXPECT_EQ(result.anomalous_count, 2);
}

TEST(ScoreBeats, KlCountsWithItsWeight) {
  const auto plain = score_beats(rows_of({1, 2, 4}), split_of(Flags{1, 1, 1}), 0.5, {});
  const auto split = score_beats(rows_of({0.5, 1, 3}, {1, 2, 2}), split_of(Flags{1, 1, 1}), 0.5, {});
  EXPECT_EQ(split.score, plain.score);
}

TEST(ScoreBeats, TheThresholdIsTheOneAskedFor) {
  const auto result = score_all_training({1, 2, 4, 8, 16}, {.threshold_deviations = 0.5});
  EXPECT_EQ(result.threshold, 0.5);
  EXPECT_EQ(result.anomalous, (Flags{0, 0, 0, 1, 1}));
  EXPECT_EQ(result.anomalous_count, 2);
}

TEST(ScoreBeats, AFractionIsAQuantileOfTheTrainingScores) {
  const auto threshold = [](double fraction) {
    return score_all_training({1, 2, 4, 8, 16}, {.threshold_fraction = fraction});
  };
  EXPECT_NEAR(threshold(0.25).threshold, 1 / kMadToDeviation, 1e-6);
  EXPECT_EQ(threshold(0.25).anomalous, (Flags{0, 0, 0, 0, 1}));
  EXPECT_NEAR(threshold(0.125).threshold, 1.5 / kMadToDeviation, 1e-6) << "between two scores";
  EXPECT_EQ(threshold(0).anomalous_count, 0);
  EXPECT_EQ(threshold(1).anomalous_count, 4) << "all but the lowest";
}

TEST(ScoreBeats, AFractionHoldsOnManyBeats) {
  std::mt19937 random(3);
  std::vector<float> errors(10'000);
  for (float& error : errors) error = std::exp(std::normal_distribution<float>()(random));
  const auto result = score_all_training(errors, {.threshold_fraction = 0.02});
  EXPECT_EQ(result.anomalous_count, 200);
}

TEST(ScoreBeats, EqualBeatsHaveScoreZeroAndNoneIsAnomalous) {
  for (const auto& options : {ScoreOptions{}, ScoreOptions{.threshold_fraction = 0.5}}) {
    const auto result = score_all_training({3, 3, 3, 3}, options);
    EXPECT_EQ(result.score, std::vector<float>(4, 0));
    EXPECT_EQ(result.anomalous_count, 0);
  }
}

TEST(ScoreBeats, ScoresAreFiniteWhereLossesAreZeroOrOneBeatTrains) {
  for (const auto& result :
       {score_all_training({0, 0, 1}), score_beats(rows_of({1, 2}), split_of(Flags{1, 0}), 0.1, {})})
    for (const float score : result.score) EXPECT_TRUE(std::isfinite(score));
}

TEST(ScoreBeats, TheDecisionCanBeRepeatedFromScoreAndThreshold) {
  std::mt19937 random(5);
  std::vector<float> errors(1000);
  for (float& error : errors) error = static_cast<float>(1 + random() % 20);
  for (const double fraction : {0.013, 0.1, 0.37, 0.5}) {
    const auto result = score_all_training(errors, {.threshold_fraction = fraction});
    for (std::size_t i = 0; i < errors.size(); ++i)
      ASSERT_EQ(result.anomalous[i], result.score[i] > static_cast<float>(result.threshold));
  }
}

TEST(ScoreBeats, WrongShapesAreRefused) {
  EXPECT_THROW_KIND(score_beats(rows_of({}), {}, 0.1, {}), ErrorKind::internal);
  EXPECT_THROW_KIND(score_beats(rows_of({1, 2}), split_of(Flags{1}), 0.1, {}), ErrorKind::internal);
  EXPECT_THROW_KIND(score_beats(rows_of({1, 2}, {0}), split_of(Flags{1, 1}), 0.1, {}), ErrorKind::internal);
  EXPECT_THROW_KIND(score_beats(rows_of({1, 2}), split_of(Flags{0, 0}), 0.1, {}), ErrorKind::internal);
}

// Two training and two test beats with two latents. The first latents of the test beats are -1 and 1.
struct Diagnosed {
  RowScores rows{.reconstruction_error = {9, 9, 0.25, 0.75}, .kl = {0, 0, 0, 0}, .latents = {5, 5, 7, 7, -1, 3, 1, 3}};
  VaeTraining training{.split = {Split::train, Split::train, Split::test, Split::test}, .mean_beat_error = 2};
  ModelDiagnosis diagnosis() const { return diagnose(rows, training, 2); }
};

TEST(Diagnose, ByHand) {
  const auto diagnosis = Diagnosed().diagnosis();
  EXPECT_EQ(diagnosis.test_error, 0.5);
  EXPECT_EQ(diagnosis.mean_beat_error, 2);
  EXPECT_EQ(diagnosis.explained, 0.75);
  EXPECT_EQ(diagnosis.latent_variance, (std::vector<double>{1, 0}));
  EXPECT_EQ(diagnosis.active_latents, 1);
  EXPECT_FALSE(diagnosis.collapsed);
}

TEST(Diagnose, CollapsedWithoutAnActiveLatent) {
  Diagnosed d;
  d.rows.latents = {5, 5, 7, 7, -0.09f, 3, 0.09f, 3};  // variance 0.0081
  EXPECT_EQ(d.diagnosis().active_latents, 0);
  EXPECT_TRUE(d.diagnosis().collapsed);
  d.rows.latents = {5, 5, 7, 7, -0.11f, 3, 0.11f, 3};  // variance 0.0121
  EXPECT_EQ(d.diagnosis().active_latents, 1);
  EXPECT_FALSE(d.diagnosis().collapsed);
}

TEST(Diagnose, CollapsedWhereTheMeanBeatIsAsGood) {
  Diagnosed d;
  d.training.mean_beat_error = 0.504;  // 0.8 % is explained
  EXPECT_TRUE(d.diagnosis().collapsed);
  d.training.mean_beat_error = 0.51;  // 2 % is explained
  EXPECT_FALSE(d.diagnosis().collapsed);
  d.training.mean_beat_error = 0;  // all beats are alike
  EXPECT_TRUE(d.diagnosis().collapsed);
}

TEST(Diagnose, WithoutTestBeatsOverAll) {
  Diagnosed d;
  d.training.split.assign(4, Split::train);
  EXPECT_EQ(d.diagnosis().test_error, 4.75);
  EXPECT_EQ(d.diagnosis().latent_variance, (std::vector<double>{10, 2.75}));  // variances of 5 7 -1 1 and of 5 7 3 3
}

TEST(LearnedScore, IsTheLogOddsOfSAndV) {
  const std::vector<float> likely_v = {0.1f, 0.1f, 0.7f, 0.1f}, sure = {1, 0, 0, 0};
  EXPECT_FLOAT_EQ(learned_score(likely_v.data(), {.learned_weight = 1}), static_cast<float>(2 + std::log(4.0)));
  EXPECT_FLOAT_EQ(learned_score(likely_v.data(), {}), static_cast<float>(6 + 3 * std::log(4.0)));
  EXPECT_EQ(learned_score(sure.data(), {}), -3) << "odds are limited";
  EXPECT_EQ(learned_score(sure.data(), {.learned_weight = 0}), 0);
}

TEST(LearnedScore, IsAdded) {
  BeatScores scores{.score = {0.5f, 5, 7}, .anomalous = {0, 0, 1}, .threshold = 6, .anomalous_count = 1};
  add_learned_scores(scores, std::vector<float>{1, 2, -3}, {}, {});
  EXPECT_EQ(scores.score, (std::vector<float>{1.5f, 7, 4}));
  EXPECT_EQ(scores.anomalous, (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_EQ(scores.anomalous_count, 1);
}

}  // namespace
}  // namespace beatscan
