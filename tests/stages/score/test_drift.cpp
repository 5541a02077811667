#include "stages/score/drift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stages/model/vae_output.h"

namespace beatscan {
namespace {

// Row scores of beats whose errors are log-normal and whose two latents are normal around `centre`.
RowScores scores_around(float centre, int rows, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  RowScores scores;
  for (int row = 0; row < rows; ++row) {
    scores.reconstruction_error.push_back(std::exp(normal(random)));
    scores.kl.push_back(0);
    scores.latents.push_back(normal(random));
    scores.latents.push_back(normal(random) + centre);
  }
  return scores;
}

std::vector<Split> all_test(int rows) { return std::vector<Split>(rows, Split::test); }

TEST(Drift, IsSmallForBeatsOfTheSameSpread) {
  const auto own = training_spread(scores_around(0, 2000, 1), all_test(2000));
  ASSERT_TRUE(own);
  const auto drift = drift_from(*own, scores_around(0, 2000, 2), all_test(2000));
  ASSERT_TRUE(drift);
  EXPECT_LT(drift->value, 0.01);
  EXPECT_EQ(drift->latents.size(), 2u);
}

// The value is the largest of the parts, and grows with the distance up to 1.
TEST(Drift, FindsTheLatentThatMoved) {
  const auto own = training_spread(scores_around(0, 2000, 1), all_test(2000));
  double last = 0;
  for (const float centre : {0.5f, 1.0f, 2.0f, 4.0f}) {
    const auto drift = drift_from(*own, scores_around(centre, 2000, 3), all_test(2000));
    EXPECT_EQ(drift->value, drift->latents[1]);
    EXPECT_LT(drift->latents[0], 0.01);
    EXPECT_LT(drift->error, 0.01);
    EXPECT_GT(drift->value, last);
    EXPECT_LE(drift->value, 1);
    last = drift->value;
  }
}

// By hand: 20 bins with a twentieth each; all values of the other in the last one. With p = 1/20 there, m = 21/40.
TEST(Drift, IsTheJensenShannonDivergence) {
  const auto own = training_spread(scores_around(0, 2000, 1), all_test(2000));
  const RowScores far = scores_around(1000, 200, 1);
  const double p = 0.05, m = 0.525;
  const double expected = (19 * p * std::log2(p / (p / 2)) + p * std::log2(p / m) + std::log2(1 / m)) / 2;
  EXPECT_NEAR(drift_from(*own, far, all_test(200))->latents[1], expected, 1e-12);
}

TEST(Drift, DominantBeatsAreTheTrainableOnes) {
  RowScores scores = scores_around(0, 1000, 1);
  auto split = all_test(1000);
  for (int row = 0; row < 500; ++row) {  // atypical beats far away do not count
    split[2 * row] = Split::none;
    scores.latents[4 * row + 1] += 100;
  }
  const auto own = training_spread(scores_around(0, 2000, 2), all_test(2000));
  EXPECT_LT(drift_from(*own, scores, split)->value, 0.02);
}

TEST(Drift, FewBeatsHaveNoDrift) {
  EXPECT_FALSE(training_spread(scores_around(0, 99, 1), all_test(99)));
  const auto own = training_spread(scores_around(0, 100, 1), all_test(100));
  ASSERT_TRUE(own);
  EXPECT_FALSE(drift_from(*own, scores_around(0, 99, 1), all_test(99)));
  EXPECT_TRUE(drift_from(*own, scores_around(0, 100, 1), all_test(100)));
}

TEST(Drift, WithoutTestBeatsTheTrainingBeatsCount) {
  const std::vector<Split> train(200, Split::train);
  EXPECT_TRUE(training_spread(scores_around(0, 200, 1), train));
  std::vector<Split> mixed = train;
  mixed[0] = Split::test;  // one test beat is too few, and training beats do not replace the others
  EXPECT_FALSE(training_spread(scores_around(0, 200, 1), mixed));
}

}  // namespace
}  // namespace beatscan
