#include "kernels/templates/shape_distances.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

// The taps give the slope of a straight line, whatever they smooth.
TEST(SlopeTaps, OfAStraightLine) {
  for (const double sigma : {0.2, 1.5, 2.5}) {
    std::vector<float> line(64);
    for (int j = 0; j < 64; ++j) line[j] = static_cast<float>(3 * j);
    for (const double slope : slopes_of(line, {64, 20, 40}, slope_taps(sigma))) ASSERT_NEAR(slope, 3, 1e-12) << sigma;
  }
}

TEST(SlopesOf, KeepTheEndsOfARow) {
  const std::vector<float> step = {0, 0, 5, 5};
  EXPECT_EQ(slopes_of(step, {4, 0, 4}, std::vector{0.0, -1.0, 1.0}), (std::vector<double>{0, 5, 0, 0}));
}

TEST(SlopesOf, BadShapesThrow) {
  const std::vector<float> row(8);
  EXPECT_THROW_KIND(slopes_of(row, {8, 0, 8}, std::vector{1.0, 1.0}), ErrorKind::internal);
  EXPECT_THROW_KIND(slopes_of(row, {8, 0, 9}, std::vector{1.0}), ErrorKind::internal);
  EXPECT_THROW_KIND(slopes_of(row, {9, 0, 9}, std::vector{1.0}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
