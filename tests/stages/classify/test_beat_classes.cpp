#include "stages/classify/beat_classes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "stages/features/beat_table.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A table of a regular rhythm with the columns that every model needs, and one more.
BeatFeatures table_of(const std::vector<float>& width) {
  BeatFeatures table{.columns = {{"rr_s", "", ""}, {"af_log_odds", "", ""}, {"template", "", ""}, {"width", "", ""}},
                     .values = {}};
  for (const float value : width)
    for (const float cell : {0.8F, -20.0F, 0.0F, value}) table.values.push_back(cell);
  return table;
}

// One tree a class: that of V asks whether `input` is above 1, with log odds of 4 and -4; the others are one leaf.
ClassTrees asks(const std::string& input, bool nan_left = true) {
  return {.inputs = {input},
          .first_split = {0, 0, 0, 1},
          .first_leaf = {0, 1, 2, 4},
          .feature = {0},
          .threshold = {1},
          .left = {-1},
          .right = {-2},
          .nan_left = {nan_left},
          .leaf = {0, -3, -4, 4, -5}};
}

double logistic(std::vector<double> odds, int which) {
  double sum = 0;
  for (const double value : odds) sum += std::exp(value);
  return std::exp(odds[which]) / sum;
}

TEST(ClassPosteriors, AreThoseOfTheTrees) {
  const ClassModel model{.noise = {asks("width")}, .clean = {asks("width")}};
  const auto found = class_posteriors(table_of({0.5, 1, 1.5, kNan}), model);
  ASSERT_EQ(found.size(), 16u);
  for (const int beat : {0, 1, 3}) EXPECT_NEAR(found[4 * beat + kClassV], logistic({0, -3, -4, -5}, 2), 1e-6);
  EXPECT_NEAR(found[4 * 2 + kClassV], logistic({0, -3, 4, -5}, 2), 1e-6);
  for (int beat = 0; beat < 4; ++beat) {
    double sum = 0;
    for (int c = 0; c < 4; ++c) sum += found[4 * beat + c];
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  const ClassModel right{.noise = {asks("width", false)}, .clean = {asks("width")}};
  EXPECT_NEAR(class_posteriors(table_of({kNan}), right)[kClassV], logistic({0, -3, 4, -5}, 2), 1e-6);
}

// The second round asks for the odds of the beat before, which are 4 behind a wide beat alone.
TEST(ClassPosteriors, OfALaterRoundReadTheContext) {
  const ClassSeries two{asks("width"), asks("v_odds_before1")};
  const auto found = class_posteriors(table_of({0, 2, 0, 0}), {.noise = two, .clean = two});
  for (int beat = 0; beat < 4; ++beat) EXPECT_EQ(found[4 * beat + kClassV] > 0.5, beat == 2) << beat;
}

// V and X come from one series, and what is left is shared by S and N as the other one says.
TEST(ClassPosteriors, TakeSFromTheCleanSeries) {
  ClassTrees clean = asks("width");
  clean.leaf[1] = 2;
  const auto found = class_posteriors(table_of({0}), {.noise = {asks("width")}, .clean = {clean}});
  EXPECT_NEAR(found[kClassV], logistic({0, -3, -4, -5}, 2), 1e-6);
  EXPECT_NEAR(found[kClassS] / (found[kClassS] + found[kClassN]), 1 / (1 + std::exp(-2.0)), 1e-6);
}

TEST(ClassPosteriors, OfSAreLowerInAtrialFibrillation) {
  auto table = table_of({0});
  table.values[1] = 3;
  ClassTrees clean = asks("width");
  clean.leaf[1] = 2;
  const auto found = class_posteriors(table, {.noise = {asks("width")}, .clean = {clean}, .af_weight = 0.5});
  const double odds = 2 - 0.5 * std::log1p(std::exp(3.0));
  EXPECT_NEAR(found[kClassS] / (found[kClassS] + found[kClassN]), 1 / (1 + std::exp(-odds)), 1e-6);
}

TEST(ClassPosteriors, NeedTheColumnsOfTheModel) {
  const ClassModel model{.noise = {asks("heights")}, .clean = {asks("width")}};
  EXPECT_THROW_KIND(class_posteriors(table_of({0}), model), ErrorKind::input);
}

}  // namespace
}  // namespace beatscan
