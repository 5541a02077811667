#include "app/result/words/shape_likeness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/small_result.h"

namespace beatscan {
namespace {

constexpr int kShapePoints = 64;

// A mean beat that rises at a point.
std::vector<float> step_at(int place, float height) {
  std::vector<float> beat(kShapePoints);
  for (int i = place; i < kShapePoints; ++i) beat[i] = height;
  return beat;
}

// Three templates in some leads: a usual one, a rare one of kind N, and V.
//   leads  [C][3] mean beats
RunResult result_of(const std::vector<std::vector<std::vector<float>>>& leads) {
  RunResult result = regular_result();
  result.findings->groups = {
      {.shape = 0, .beats = 170}, {.shape = 1, .beats = 3}, {.shape = 2, .kind = Kind::ventricular, .beats = 27}};
  result.report.row_before_s = 0.15, result.report.row_after_s = 0.3;
  for (const auto& lead : leads) {
    result.report.reference_leads.push_back(std::ssize(result.report.reference_leads));
    result.report.templates.lead_weights.push_back(1);
    for (const auto& beat : lead)
      result.report.templates.means.insert(result.report.templates.means.end(), beat.begin(), beat.end());
  }
  return result;
}

double likeness_of_v(const RunResult& result) {
  const auto compared = compared_shapes(result);
  return compared ? likeness_to_usual(*compared, -0.15, 0.3)[2] : -2;
}

const std::vector<std::vector<float>> kAlike = {step_at(20, 1), step_at(40, 1), step_at(20, 0.5f)},
                                      kUnlike = {step_at(20, 1), step_at(40, 1), step_at(40, 1)};

TEST(ShapeLikeness, IsACorrelation) {
  EXPECT_NEAR(likeness_of_v(result_of({kAlike})), 1, 1e-9);
  const double shares = 20.0 / 63, other = 40.0 / 63;  // of the points before each step; the last does not count
  EXPECT_NEAR(likeness_of_v(result_of({kUnlike})), std::sqrt(shares * (1 - other) / other / (1 - shares)), 1e-6);
}

TEST(ShapeLikeness, ComparesWithFrequentTemplatesAlone) {
  auto result = result_of({kUnlike});
  result.findings->groups[1].beats = 4;  // 2 % of 200
  EXPECT_NEAR(likeness_of_v(result), 1, 1e-9);
}

TEST(ShapeLikeness, DoesNotDependOnTheUnitOfALead) {
  auto large = kUnlike;
  for (auto& beat : large)
    for (float& value : beat) value *= 1000;
  const double both = likeness_of_v(result_of({kAlike, kUnlike}));
  EXPECT_NEAR(likeness_of_v(result_of({kAlike, large})), both, 1e-6);
  EXPECT_LT(both, 0.9);
  EXPECT_GT(both, likeness_of_v(result_of({kUnlike})));
}

TEST(ShapeLikeness, CountsLeadsByTheirWeights) {
  auto result = result_of({kAlike, kUnlike});
  result.report.templates.lead_weights[1] = 1e-4;
  EXPECT_GT(likeness_of_v(result), 0.99) << "noise alone";
  result.report.templates.lead_weights = {1e-4, 1};
  EXPECT_LT(likeness_of_v(result), 0.53);
}

TEST(ShapeLikeness, LeavesOutFlatLeads) {
  const std::vector<std::vector<float>> flat = {step_at(0, 1), step_at(0, 1), step_at(40, 1)};
  EXPECT_NEAR(likeness_of_v(result_of({kAlike, flat})), 1, 1e-9);
  EXPECT_EQ(likeness_of_v(result_of({flat})), 0) << "no lead is left";
  EXPECT_EQ(likeness_of_v(result_of({flat, flat})), 0);
}

TEST(ShapeLikeness, NeedsMeanBeatsAndAUsualTemplate) {
  EXPECT_FALSE(compared_shapes(regular_result()));
  auto result = result_of({kAlike});
  result.findings->groups[0].kind = Kind::ventricular;
  EXPECT_FALSE(compared_shapes(result));
  EXPECT_FALSE(compared_shapes(small_result())) << "as published";
}

}  // namespace
}  // namespace beatscan
