#include "kernels/rhythm/line_fits.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

// Of the boxes 0 1 2, 0 3 0 and a rest. The line that fits the second box best is flat: -1, 2 and -1 are left.
TEST(LineFits, ByHand) {
  EXPECT_EQ(squares_around_lines(std::vector<double>{0, 1, 2, 0, 3, 0, 9, 9}, 3), 6);
  EXPECT_EQ(squares_around_lines(std::vector<double>{5}, 2), 0);
}

// The same bits whatever the processor, and however many boxes there are.
TEST(LineFits, HaveTheBitsOfTheirDefinition) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(10, 3);
  std::vector<double> values(1000);
  for (double& value : values) value = normal(random);
  for (const std::size_t n : {2, 5, 16, 63, 64, 400, 1000}) {
    double wanted = 0;
    for (std::size_t from = 0; from + n <= values.size(); from += n) {
      const auto count = static_cast<double>(n);
      double sum = 0, squares = 0, moments = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double y = values[from + k] - values[from];
        sum += y, squares += y * y, moments += (static_cast<double>(k) - (count - 1) / 2) * y;
      }
      wanted += squares - sum * sum / count - moments * moments / (count * (count * count - 1) / 12);
    }
    EXPECT_EQ(squares_around_lines(values, static_cast<std::int64_t>(n)), wanted) << n;
  }
}

TEST(LineFits, RefuseBoxesOfOneValue) {
  EXPECT_THROW_KIND(squares_around_lines(std::vector<double>(3), 1), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
