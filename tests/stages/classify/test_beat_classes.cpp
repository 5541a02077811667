#include "stages/classify/beat_classes.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "stages/classify/beat_table.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/feature_tables.h"

namespace beatscan {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A table of a regular rhythm with the columns that every model needs, and one more.
BeatFeatures columns_of(const std::vector<float>& width) {
  const std::size_t beats = width.size();
  return {{{"rr_s", "", "", std::vector<float>(beats, 0.8F)},
           {"af_log_odds", "", "", std::vector<float>(beats, -20.0F)},
           {"template", "", "", std::vector<float>(beats)},
           {"width", "", "", width}}};
}

// One tree a class: that of V tests whether `input` is above 1, with log odds of 4 and -4; the others are one leaf.
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

// A model whose three series are the same: posteriors are those of its log odds.
ClassModel alike(const ClassSeries& series) { return {.noise = series, .clean = series}; }

template <class Context>
class ClassPosteriors : public OnBackend<Context> {
 protected:
  FeatureTable<Context> loaded(const BeatFeatures& features) { return loaded_table(this->context(), features); }
  FeatureTable<Context> table_of(const std::vector<float>& width) { return loaded(columns_of(width)); }
};
TYPED_TEST_SUITE(ClassPosteriors, Backends, BackendNames);

TYPED_TEST(ClassPosteriors, AreThoseOfTheTrees) {
  const auto found = class_posteriors(this->context(), this->table_of({0.5, 1, 1.5, kNan}), alike({asks("width")}));
  ASSERT_EQ(found.size(), 16u);
  for (const int beat : {0, 1, 3}) EXPECT_NEAR(found[4 * beat + kClassV], logistic({0, -3, -4, -5}, 2), 1e-6);
  EXPECT_NEAR(found[4 * 2 + kClassV], logistic({0, -3, 4, -5}, 2), 1e-6);
  for (int beat = 0; beat < 4; ++beat) {
    double sum = 0;
    for (int c = 0; c < 4; ++c) sum += found[4 * beat + c];
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  const auto right = class_posteriors(this->context(), this->table_of({kNan}), alike({asks("width", false)}));
  EXPECT_NEAR(right[kClassV], logistic({0, -3, 4, -5}, 2), 1e-6);
}

// The second round tests the odds of the previous beat, which are 4 after a wide beat alone.
TYPED_TEST(ClassPosteriors, OfALaterRoundReadTheContext) {
  const auto found =
      class_posteriors(this->context(), this->table_of({0, 2, 0, 0}), alike({asks("width"), asks("v_odds_before1")}));
  for (int beat = 0; beat < 4; ++beat) EXPECT_EQ(found[4 * beat + kClassV] > 0.5, beat == 2) << beat;
}

// Log odds of S against N, of V against both, and of X against both.
std::array<double, 3> parts(const std::vector<float>& p) {
  return {std::log(p[kClassS] / p[kClassN]), std::log(p[kClassV] / (p[kClassN] + p[kClassS])),
          std::log(p[kClassX] / (p[kClassN] + p[kClassS]))};
}

TYPED_TEST(ClassPosteriors, TakeEachClassFromItsSeries) {
  ClassTrees clean = asks("width");
  clean.leaf[1] = 2;
  const ClassModel model{.noise = {asks("width")}, .clean = {clean}};
  const auto found = parts(class_posteriors(this->context(), this->table_of({0}), model));
  const double noise_rest = std::log1p(std::exp(-3.0));
  EXPECT_NEAR(found[0], 2, 1e-5);
  EXPECT_NEAR(found[1], -4 - noise_rest, 1e-5);
  EXPECT_NEAR(found[2], -5 - noise_rest, 1e-5);
}

TYPED_TEST(ClassPosteriors, AreCalibrated) {
  ClassModel model = alike({asks("width")});
  const auto raw = parts(class_posteriors(this->context(), this->table_of({0}), model));
  model.calibration = {{{0.5, 1}, {0.8, -0.5}, {1.2, 2}}};
  const auto found = parts(class_posteriors(this->context(), this->table_of({0}), model));
  for (int c = 0; c < 3; ++c)
    EXPECT_NEAR(found[c], model.calibration[c].slope * raw[c] + model.calibration[c].offset, 1e-5) << c;
}

TYPED_TEST(ClassPosteriors, OfSAreLowerInAtrialFibrillation) {
  auto features = columns_of({0});
  features.columns[1].values = {3};
  const auto table = this->loaded(features);
  ClassTrees clean = asks("width");
  clean.leaf[1] = 2;
  ClassModel model = alike({asks("width")});
  model.clean = {clean};
  model.af_weight = 0.5;
  EXPECT_NEAR(parts(class_posteriors(this->context(), table, model))[0], 2 - 0.5 * std::log1p(std::exp(3.0)), 1e-5);
}

TYPED_TEST(ClassPosteriors, NeedTheColumnsOfTheModel) {
  EXPECT_THROW_KIND(class_posteriors(this->context(), this->table_of({0}), alike({asks("heights")})), ErrorKind::input);
}

}  // namespace
}  // namespace beatscan
