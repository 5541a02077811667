// Compares the mean beats of templates with the rows of the same run.
#include "app/output/template_shapes.h"

#include <algorithm>
#include <cmath>

#include "stages/windows/centred_beats.h"
#include "tests/support/analysed.h"

namespace beatscan {
namespace {

template <class Context>
class TemplateShapesOf : public AnalysedOn<Context> {};
TYPED_TEST_SUITE(TemplateShapesOf, Backends, BackendNames);

// Returns the rows of a template's beats in good signal, or of all its beats if none are.
std::vector<std::int64_t> rows_of_template(const RunResult& result, std::int32_t k) {
  std::vector<std::int64_t> good, all;
  for (std::int64_t row = 0; row < std::ssize(result.beats.kept); ++row) {
    const auto beat = result.beats.kept[row];
    if (result.classes.findings->templates[beat] != k) continue;
    all.push_back(row);
    if (result.beats.found.quality[beat] == Quality::good) good.push_back(row);
  }
  return good.empty() ? all : good;
}

// A mean is median beat + unit * mean residual; here it is over all beats of the template, because they are few.
TYPED_TEST(TemplateShapesOf, TemplatesHaveTheirMeanAndTheirBeats) {
  const RunResult result = this->result_of(12'000, {});
  const TemplateShapes& shapes = result.report.templates;
  const std::int64_t count = std::ssize(result.classes.findings->groups), points = result.beats.row_points;
  ASSERT_EQ(std::ssize(shapes.typical), count);
  ASSERT_EQ(std::ssize(shapes.means), count * points);
  const auto& reference = result.report.reference;
  const auto& rows = result.arrays->embeddings;
  double products = 0, squares = 0;
  const auto first = std::ranges::find(result.beats.kept, result.report.beats[0]) - result.beats.kept.begin();
  for (std::int64_t t = 0; t < points; ++t) {
    products += (result.report.rows[t] - reference[t]) * static_cast<double>(rows[first * points + t]);
    squares += std::pow(rows[first * points + t], 2);
  }
  for (std::int32_t k = 0; k < count; ++k) {
    const auto members = rows_of_template(result, k);
    ASSERT_LE(std::ssize(members), kTemplateRows) << "the test needs few";
    EXPECT_EQ(result.classes.findings->templates[shapes.typical[k]], k);
    EXPECT_EQ(result.classes.findings->templates[shapes.most_atypical[k]], k);
    EXPECT_EQ(shapes.most_atypical[k] == shapes.typical[k], members.size() == 1) << k;
    for (std::int64_t t = 0; t < points; ++t) {
      double mean = 0;
      for (const auto row : members) mean += rows[row * points + t] / static_cast<double>(members.size());
      ASSERT_NEAR(shapes.means[k * points + t], reference[t] + products / squares * mean, 1e-5) << k << " " << t;
    }
    EXPECT_GE(shapes.spread[k], 0);
    EXPECT_TRUE(members.size() > 1 || shapes.spread[k] == 0);
  }
}

// A trapezoid of two ramps of 20 points: the slopes are equal over 40 points.
std::vector<float> trapezoid(std::int64_t ramp, float height) {
  std::vector<float> row(256);
  const std::int64_t middle = 85;  // the R peak, 150 ms after the start
  for (std::int64_t j = 0; j < 256; ++j) {
    const auto from_edge = 2 * ramp - std::abs(j - middle) - ramp / 2;
    row[j] = height * static_cast<float>(std::clamp<std::int64_t>(from_edge, 0, ramp)) / static_cast<float>(ramp);
  }
  return row;
}

TEST(MeanWidths, AreTheTimeOfTheSlopes) {
  constexpr double kPoint_ms = 450.0 / 255;
  std::vector<float> means;
  for (const auto& row : {trapezoid(10, 1), trapezoid(20, 1), trapezoid(20, -3), std::vector<float>(256)})
    means.insert(means.end(), row.begin(), row.end());
  const auto widths = mean_widths_ms({means, 1, 4, 256}, std::vector{1.0}, 0, RowOptions());
  EXPECT_NEAR(widths[0], 20 * kPoint_ms, 9) << "smoothing by 2.65 ms makes the four edges of the ramps softer";
  EXPECT_NEAR(widths[1], 40 * kPoint_ms, 9);
  EXPECT_NEAR(widths[2], widths[1], 1e-6) << "the height does not count";
  EXPECT_TRUE(std::isnan(widths[3])) << "no slope";
}

// In the second lead the slopes of both templates last twice as long.
TEST(MeanWidths, LeaveOutALeadWithoutWeight) {
  const auto widths = [](double weight) {
    std::vector<float> means;
    for (const std::int64_t ramp : {10, 10, 20, 20}) {
      const auto row = trapezoid(ramp, 1);
      means.insert(means.end(), row.begin(), row.end());
    }
    return mean_widths_ms({means, 2, 2, 256}, std::vector{1.0, weight}, 0, RowOptions());
  };
  EXPECT_GT(widths(1)[1], 1.2 * widths(0)[1]);
  EXPECT_LT(widths(clearness(12))[1], 1.03 * widths(0)[1]);
}

}  // namespace
}  // namespace beatscan
