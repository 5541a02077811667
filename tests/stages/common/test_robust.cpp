#include "stages/common/robust.h"
#include "tests/support/expected_quantile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace beatscan {
namespace {

using Doubles = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kMadToDeviation = 1.4826;

double quantile_of(Doubles values, double q) { return quantile(values, q); }

TEST(Quantile, ByHand) {
  EXPECT_EQ(quantile_of({4, 1, 3, 2}, 0), 1);
  EXPECT_EQ(quantile_of({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_EQ(quantile_of({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_EQ(quantile_of({4, 1, 3, 2}, 1), 4);
  EXPECT_EQ(quantile_of({7}, 0.3), 7);
}

TEST(Quantile, MatchesItsDefinitionWithTies) {
  std::mt19937 random(1);
  for (const int n : {1, 2, 3, 10, 1000})
    for (const double q : {0.0, 0.1, 0.5, 0.6, 0.95, 1.0}) {
      Doubles values(n);
      for (double& value : values) value = static_cast<double>(random() % 20) / 4;
      EXPECT_NEAR(quantile_of(values, q), expected_quantile(values, q), 1e-12) << n << " " << q;
    }
}

// Few values are sorted as they are. Of many values, those between two bounds are picked. A list can defeat that: its
// sample is every so-many-th value.
TEST(Quantile, OfSortedValuesIsTheSame) {
  for (const std::size_t count : {1, 2, 3, 10, 999, 20'000}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<double>(i * 7919 % 1009 / 3));  // with ties
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    for (const double q : {0.0, 0.05, 0.5, 0.77, 1.0})
      EXPECT_EQ(quantile_of_sorted(sorted, q), quantile(values, q)) << count << " " << q;
  }
}

TEST(NthValue, IsTheOneOfTheSortedList) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const std::size_t n : {1, 2, 1000, 16 * 1024 - 1, 16 * 1024, 100'000}) {
    std::vector<float> spread(n), ties(n), ascending(n), odd_ones(n, 5);
    for (std::size_t i = 0; i < n; ++i) {
      spread[i] = std::exp(5 * normal(random));
      ties[i] = static_cast<float>(random() % 7);
      ascending[i] = static_cast<float>(i);
    }
    for (std::size_t k = 0; k < 1024; ++k) odd_ones[k * n / 1024] = -1;
    for (const auto& values : {spread, ties, ascending, odd_ones, std::vector<float>(n, 2)}) {
      auto sorted = values;
      std::ranges::sort(sorted);
      for (const std::size_t place : {std::size_t{0}, n / 100, n / 2, n - 1 - n / 10, n - 1})
        ASSERT_EQ(nth_value<float>(values, place), sorted[place]) << place << " of " << n;
    }
  }
}

// The value after the one at a place counts, too, also where both are the same or lie far apart.
TEST(Quantile, OfFewValuesLiesBetweenTwoOfTheSortedList) {
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    Doubles values(1 + random() % 120);
    const std::uint32_t different = 1 + random() % 60;
    for (double& value : values) value = random() % different;
    const double q = (random() % 101) / 100.0;
    ASSERT_EQ(quantile(values, q), expected_quantile(values, q)) << values.size() << " " << q;
  }
}

// A wave whose extremes lie at fixed places could be divided badly again and again.
TEST(Quantile, OfAWaveLiesBetweenTwoOfTheSortedList) {
  for (const std::size_t n : {500, 8192, 16'383, 100'000}) {
    std::vector<float> wave(n);
    for (std::size_t i = 0; i < n; ++i)
      wave[i] = static_cast<float>(std::cos(4 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n)));
    const Doubles doubles(wave.begin(), wave.end());
    for (const double q : {0.0, 0.5, 0.75, 0.9, 1.0}) {
      EXPECT_NEAR(quantile(wave, q), expected_quantile(doubles, q), 1e-12) << n << " " << q;
      EXPECT_EQ(quantile(doubles, q), quantile(wave, q)) << n << " " << q;
    }
  }
}

TEST(Quantile, OfManyValuesLiesBetweenTwoOfTheSortedList) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  Doubles values(50'000);
  for (double& value : values) value = normal(random);
  for (const double q : {0.0, 0.01, 0.5, 0.77, 1.0})
    EXPECT_NEAR(quantile(values, q), expected_quantile(values, q), 1e-12) << q;
}

TEST(RobustScale, ByHand) {
  const auto scale = robust_scale({100, 1, 3, 2, 4}, 0);  // deviations from 3: 97 2 0 1 1
  EXPECT_EQ(scale.median, 3);
  EXPECT_EQ(scale.scale, kMadToDeviation);
  EXPECT_DOUBLE_EQ(scale.z(3 + 2 * kMadToDeviation), 2);
  EXPECT_EQ(robust_scale({1, 2, 3}, 5).scale, 5) << "at least the floor";
  EXPECT_EQ(robust_scale({2, 2, 2}, 0.25).z(3), 4) << "where all are alike";
}

TEST(RobustScale, OfNothingIsTheDefault) {
  EXPECT_EQ(robust_scale({}, 0.1).median, 0);
  EXPECT_EQ(robust_scale({}, 0.1).scale, 1);
}

// 1.4826 MAD estimates the standard deviation; from 100,000 normal values its standard error is 0.4 %.
TEST(RobustScale, OfNormalValuesIsTheirStandardDeviation) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal(5, 2);
  Doubles values(100'000);
  for (double& value : values) value = normal(random);
  for (int i = 0; i < 1000; ++i) values[i] = 1e9;  // 1 % of outliers moves the estimate by about 1 %
  EXPECT_NEAR(robust_scale(values, 0).median, 5, 0.1);
  EXPECT_NEAR(robust_scale(values, 0).scale, 2, 0.1);
}

TEST(BlendedScale, IsTheMeanOfOwnAndTypical) {
  EXPECT_DOUBLE_EQ(blended_scale({1, 2, 3}, 0.5).scale, (kMadToDeviation + 0.5) / 2);
  EXPECT_EQ(blended_scale({1, 2, 3}, 0.5).median, 2);
  EXPECT_EQ(blended_scale({4, 4, 4}, 0.5).scale, 0.25);
}

TEST(SampleOf, TheFiniteOnesWithAFlag) {
  EXPECT_EQ(sample_of(Doubles{1, 2, 3, 4}, {0, 1, 1, 0}), (Doubles{2, 3}));
  EXPECT_EQ(sample_of(Doubles{kNan, 2, INFINITY, 4, -INFINITY}, {1, 1, 1, 1, 1}), (Doubles{2, 4}));
  EXPECT_EQ(sample_of(std::vector<float>{0.5f, 2}, {1, 1}), (Doubles{0.5, 2}));
  EXPECT_EQ(sample_of(Doubles{1, 2}, {0, 0}), Doubles{});
  EXPECT_EQ(sample_of(Doubles{}, {}), Doubles{});
}

TEST(SampleOf, ManyAreEvenlySpread) {
  for (const std::size_t count :
       {kMostSampled - 1, kMostSampled, kMostSampled + 1, 3 * kMostSampled, std::size_t{50'000}}) {
    SCOPED_TRACE(count);
    Doubles values(2 * count);
    std::vector<std::uint8_t> flags(2 * count);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<double>(i / 2);  // the number of the flag
      flags[i] = i % 2;
    }
    const auto sample = sample_of(values, flags);
    ASSERT_EQ(sample.size(), std::min(count, kMostSampled));
    const double step = static_cast<double>(count) / static_cast<double>(sample.size());
    for (std::size_t i = 0; i < sample.size(); ++i)
      ASSERT_EQ(sample[i], std::floor(step * static_cast<double>(i) + 1e-6)) << i;
  }
}

}  // namespace
}  // namespace beatscan
