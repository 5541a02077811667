#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "app/evaluation/beat_quality.h"

namespace beatscan {
namespace {

using Scores = std::vector<double>;
using Curve = std::vector<RocPoint>;

TEST(RocCurve, WorkedByHand) {
  EXPECT_EQ(roc_curve(Scores{2, 3}, Scores{0, 1}), (Curve{{0, 0}, {0, 0.5}, {0, 1}, {0.5, 1}, {1, 1}}));
  EXPECT_EQ(roc_curve(Scores{1, 1}, Scores{1}), (Curve{{0, 0}, {1, 1}})) << "ties are one step";
  EXPECT_EQ(roc_curve(Scores{3, -INFINITY}, Scores{1, -INFINITY}), (Curve{{0, 0}, {0, 0.5}, {0.5, 0.5}, {1, 1}}));
  EXPECT_EQ(roc_curve(Scores{}, Scores{1}), Curve{});
  EXPECT_EQ(roc_curve(Scores{1}, Scores{}), Curve{});
}

double area(const Curve& curve) {
  double sum = 0;
  for (std::size_t i = 1; i < curve.size(); ++i)
    sum += (curve[i].false_positive_rate - curve[i - 1].false_positive_rate) *
           (curve[i].true_positive_rate + curve[i - 1].true_positive_rate) / 2;
  return sum;
}

double distance_to_segment(const RocPoint& p, const RocPoint& a, const RocPoint& b) {
  const double x = b.false_positive_rate - a.false_positive_rate, y = b.true_positive_rate - a.true_positive_rate;
  const double px = p.false_positive_rate - a.false_positive_rate, py = p.true_positive_rate - a.true_positive_rate;
  const double length = x * x + y * y;
  const double along = length > 0 ? std::clamp((px * x + py * y) / length, 0.0, 1.0) : 0;
  return std::hypot(px - along * x, py - along * y);
}

double farthest(const Curve& curve, const Curve& few) {
  double most = 0;
  for (const auto& point : curve) {
    double nearest = 2;
    for (std::size_t i = 1; i < few.size(); ++i)
      nearest = std::min(nearest, distance_to_segment(point, few[i - 1], few[i]));
    most = std::max(most, nearest);
  }
  return most;
}

Scores random_scores(std::mt19937& random, int count, double mean, double step) {
  std::normal_distribution<double> normal(mean);
  Scores scores(count);
  for (double& score : scores) score = std::round(normal(random) / step) * step;
  return scores;
}

TEST(Thinned, StraightPartsBecomeTheirEnds) {
  EXPECT_EQ(thinned(roc_curve(Scores{2, 3, 4}, Scores{0, 0.5, 1})), (Curve{{0, 0}, {0, 1}, {1, 1}}));
  EXPECT_EQ(thinned(roc_curve(Scores{1}, Scores{1})), (Curve{{0, 0}, {1, 1}}));
  EXPECT_EQ(thinned(Curve{}), Curve{});
}

// The thinned curve has at most 200 points and differs from the whole curve by a fraction of a pixel.
TEST(Thinned, StaysOnTheCurve) {
  std::mt19937 random(3);
  for (const int positives : {1, 2, 71, 3000})
    for (const double mean : {0.0, 1.0, 3.0})
      for (const double step : {1e-9, 0.1}) {
        SCOPED_TRACE(testing::Message() << positives << " positives, mean " << mean << ", step " << step);
        const auto p = random_scores(random, positives, mean, step), n = random_scores(random, 5000, 0, step);
        const auto curve = roc_curve(p, n), few = thinned(curve);
        EXPECT_LE(few.size(), kRocPoints);
        EXPECT_EQ(few.front(), (RocPoint{0, 0}));
        EXPECT_EQ(few.back(), (RocPoint{1, 1}));
        EXPECT_LT(farthest(curve, few), 0.005);
        EXPECT_NEAR(area(curve), auroc(p, n).value(), 1e-12);
        EXPECT_NEAR(area(few), auroc(p, n).value(), 0.005);
        for (std::size_t i = 1; i < few.size(); ++i)
          EXPECT_TRUE(few[i].false_positive_rate >= few[i - 1].false_positive_rate &&
                      few[i].true_positive_rate >= few[i - 1].true_positive_rate);
      }
}

}  // namespace
}  // namespace beatscan
