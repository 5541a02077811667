#include "kernels/rhythm/rhythm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Sums = std::vector<StateValues>;

TEST(StateSums, ByHand) {
  StateValues first{}, second{}, intercept{};
  first[0] = 2, first[15] = -1, second[1] = 10, intercept[1] = 5;
  Sums sums(2);
  state_sums(std::vector<float>{1, 2, 3, 4}, std::vector{first, second}, intercept, sums);
  StateValues one{}, two{};
  one[0] = 2, one[1] = 35, one[15] = -1, two[0] = 4, two[1] = 45, two[15] = -2;
  EXPECT_EQ(sums, (Sums{one, two}));
}

// In the order of the features, in float32: the same bits whatever the processor, and however many beats there are.
TEST(StateSums, HaveTheBitsOfTheirDefinition) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const std::size_t beats : {1, 2, 7, 8, 9, 40})
    for (const std::size_t features : {0, 1, 33}) {
      std::vector<float> inputs(features * beats);
      std::vector<StateValues> weight(features);
      StateValues intercept;
      for (float& value : inputs) value = normal(random);
      for (auto& row : weight)
        for (float& value : row) value = normal(random);
      for (float& value : intercept) value = normal(random);
      Sums sums(beats);
      state_sums(inputs, weight, intercept, sums);
      for (std::size_t i = 0; i < beats; ++i)
        for (int s = 0; s < kMostStates; ++s) {
          volatile float expected = intercept[s];  // rounds each product and each sum
          for (std::size_t f = 0; f < features; ++f) {
            volatile float product = weight[f][s] * inputs[f * beats + i];
            expected = expected + product;
          }
          ASSERT_EQ(sums[i][s], expected) << beats << " beats, " << features << " features";
        }
    }
}

TEST(StateSums, RefuseBadShapes) {
  Sums sums(2);
  EXPECT_THROW_KIND(state_sums(std::vector<float>(3), std::vector<StateValues>(2), {}, sums), ErrorKind::internal);
  Sums none;
  state_sums({}, std::vector<StateValues>(2), {}, none);
}

}  // namespace
}  // namespace beatscan
