#include "kernels/quality_index/forest.h"

#include <cmath>

#include "kernels/quality_index/recordings.h"
#include "tests/kernels/quality_index/quality_reference.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::quality_index {
namespace {

template <class Context>
class QualityForest : public OnBackend<Context> {
 protected:
  std::vector<float> probabilities(const Forest& forest, const Calibration& calibration, const std::vector<float>& rows,
                                   int features) {
    auto& context = this->context();
    Buffer<float, Context> found(context, std::ssize(rows) / features * kClasses);
    block_probabilities(context, load_forest(context, forest, features), calibration, from_host(context, rows), found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(QualityForest, Backends, BackendNames);

// Three trees of depth 2, one for each class. The first: x0 <= 1 ? (x1 <= 2 ? 0 : 1) : (x1 <= 3 ? 2 : 4).
Forest hand_made() {
  return {2,
          3,
          {{0, 1}, {1, 2}, {1, 3}, {0, 0}, {0, 0}, {0, 0}, {1, 5}, {0, 0}, {0, 0}},
          {0, 1, 2, 4, 0, 0, 0, 0, -1, -1, -3, -3}};
}

TYPED_TEST(QualityForest, GivesTheSoftmaxOfItsScores) {
  const std::vector<float> rows = {1, 2, 1, 2.5F, 1.5F, 3, 2, 9};
  const double good[] = {0, 1, 2, 4}, lost[] = {-1, -1, -1, -3};
  const auto found = this->probabilities(hand_made(), {}, rows, 2);
  for (int i = 0; i < 4; ++i) {
    const double sum = std::exp(good[i]) + 1 + std::exp(lost[i]);
    EXPECT_NEAR(found[3 * i + kGood], std::exp(good[i]) / sum, 1e-7) << i;
    EXPECT_NEAR(found[3 * i + kNoise], 1 / sum, 1e-7) << i;
    EXPECT_NEAR(found[3 * i + kLost], std::exp(lost[i]) / sum, 1e-7) << i;
  }
}

TYPED_TEST(QualityForest, CalibrationMovesTheOddsOfGoodAlone) {
  const auto plain = this->probabilities(hand_made(), {}, {2, 9}, 2);
  const auto moved = this->probabilities(hand_made(), {2, -1}, {2, 9}, 2);
  const double odds = std::log(plain[kGood] / (1 - plain[kGood]));
  EXPECT_NEAR(moved[kGood], 1 / (1 + std::exp(1 - 2 * odds)), 1e-6);
  EXPECT_NEAR(moved[kNoise] / moved[kLost], plain[kNoise] / plain[kLost], 1e-4);
}

TYPED_TEST(QualityForest, OfOneClassGivesTheSigmoid) {
  auto& context = this->context();
  const Forest forest{1, 1, {{0, 0.5F}, {1, 0.5F}}, {-1, 2, 0.25F, 0.5F}};
  Buffer<float, TypeParam> found(context, 3);
  probabilities_of_one(context, load_forest(context, forest, 2),
                       from_host(context, std::vector<float>{0, 0, 1, 0.5F, 1, 1}), found);
  const auto host = to_host(context, found);
  EXPECT_NEAR(host[0], 1 / (1 + std::exp(0.75)), 1e-7);
  EXPECT_NEAR(host[1], 1 / (1 + std::exp(-2.25)), 1e-7);
  EXPECT_NEAR(host[2], 1 / (1 + std::exp(-2.5)), 1e-7);
}

TYPED_TEST(QualityForest, RefusesBadShapes) {
  auto& context = this->context();
  Forest forest = hand_made();
  EXPECT_THROW_KIND(load_forest(context, forest, 1), ErrorKind::internal);
  forest.nodes.pop_back();
  EXPECT_THROW_KIND(load_forest(context, forest, 2), ErrorKind::internal);
}

// Leads and blocks with values by which each aggregate can be told.
TYPED_TEST(QualityForest, AggregatesAreThoseOfLeadsInWindows) {
  auto& context = this->context();
  const std::int64_t leads = 3, blocks = 12;  // windows of 5 and 7 blocks
  std::vector<float> features(leads * blocks * kFeatures), p(leads * blocks * kClasses);
  for (std::int64_t l = 0; l < leads; ++l)
    for (std::int64_t b = 0; b < blocks; ++b) {
      float* f = features.data() + (l * blocks + b) * kFeatures;
      f[kFeatureHeightMv] = static_cast<float>(l + 1);
      f[kFeatureTemplate] = static_cast<float>(l) / 4;
      f[kFeatureMuscle] = static_cast<float>(b);
      f[kFeatureHigh] = static_cast<float>(10 * l);
      f[kFeatureBaseline] = static_cast<float>(b * (l + 1));
      f[kFeatureSlope] = static_cast<float>(l == 1 ? b : 0);
      float* q = p.data() + (l * blocks + b) * kClasses;
      q[kGood] = l == 2 ? 0.25F : b == 6 ? 0.5F : 1.0F;
      q[kNoise] = 1 - q[kGood];
    }
  Buffer<float, TypeParam> aggregates(context, windows_of(blocks) * kAggregates);
  aggregate_windows(context, {leads, from_host(context, features), from_host(context, p)}, aggregates);
  const auto found = to_host(context, aggregates);
  ASSERT_EQ(found.size(), 2U * kAggregates);
  EXPECT_EQ(found[kBad1], 0.75F);
  EXPECT_EQ(found[kBad2], 0);
  EXPECT_EQ(found[kBad4], 0) << "of three leads the smallest";
  EXPECT_EQ(found[kBadMean], 0.25F);
  EXPECT_EQ(found[kBadShare], 1.0F / 3);
  EXPECT_EQ(found[kNoise1], 0.75F);
  EXPECT_EQ(found[kLost1], 0);
  EXPECT_EQ(found[kWorstBlock], 0.25F);
  EXPECT_EQ(found[kHeightMost], 1.5F);
  EXPECT_EQ(found[kHeightLeast], 0.5F);
  EXPECT_EQ(found[kBaseline1], 12);
  EXPECT_EQ(found[kBaseline2], 8);
  EXPECT_EQ(found[kBaseline4], 4);
  EXPECT_EQ(found[kMuscle2], 2);
  EXPECT_EQ(found[kHigh2], 10);
  EXPECT_EQ(found[kTemplateLow2], 0.25F);
  EXPECT_EQ(found[kSlope1], 4);
  const float* second = found.data() + kAggregates;
  EXPECT_EQ(second[kMuscle2], 8) << "median of 5 .. 11";
  EXPECT_NEAR(second[kWorstBlock], (0.5 + 0.5 + 0.75) / 3, 1e-6);
  EXPECT_NEAR(second[kBad2], 0.5 / 7, 1e-6);
  EXPECT_EQ(second[kSlope1], 11);
}

TEST(QualityModel, HasTheFeaturesOfTheProgram) {
  const auto json = quality_json("models/quality.json");
  const std::vector<std::string> names(std::begin(kFeatureNames), std::end(kFeatureNames));
  EXPECT_EQ(json.at("definition").at("features").get<std::vector<std::string>>(), names);
  EXPECT_EQ(json.at("definition").at("recording_features").size(), static_cast<std::size_t>(kAggregates));
}

}  // namespace
}  // namespace beatscan::quality_index
