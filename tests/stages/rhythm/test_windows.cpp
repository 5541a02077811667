#include "stages/rhythm/measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

// The statistic of the values that exist within `reach` of beat i.
double expected(const std::vector<float>& values, std::int64_t i, int reach, WindowStatistic statistic) {
  std::vector<double> some;
  for (std::int64_t j = i - reach; j <= i + reach; ++j)
    if (0 <= j && j < std::ssize(values) && std::isfinite(values[j])) some.push_back(values[j]);
  if (some.empty()) return kNan;
  if (statistic == WindowStatistic::most) return *std::max_element(some.begin(), some.end());
  if (statistic == WindowStatistic::least) return *std::min_element(some.begin(), some.end());
  double mean = 0, square = 0;
  for (const double value : some) mean += value / static_cast<double>(some.size());
  for (const double value : some) square += (value - mean) * (value - mean) / static_cast<double>(some.size());
  return statistic == WindowStatistic::mean ? mean : std::sqrt(square);
}

TEST(BlockWindows, MatchTheirDefinition) {
  std::mt19937 random(1);
  std::vector<float> values(60);
  for (float& value : values) {
    value = std::normal_distribution<float>()(random);
    if (random() % 4 == 0) value = random() % 2 ? kNan : kInfinity;
  }
  std::fill_n(values.begin() + 20, 9, kNan);
  for (const auto& [first, last] : {std::pair<std::int64_t, std::int64_t>{0, 60}, {0, 1}, {17, 31}, {59, 60}})
    for (const int reach : {0, 1, 3, 70}) {
      const BlockWindows windows(values, first, last, 70);
      for (const auto statistic :
           {WindowStatistic::mean, WindowStatistic::least, WindowStatistic::most, WindowStatistic::deviation}) {
        std::vector<float> found(last - first);
        windows.write(statistic, reach, found);
        for (std::int64_t i = first; i < last; ++i) {
          const double wanted = expected(values, i, reach, statistic);
          if (std::isnan(wanted))
            EXPECT_TRUE(std::isnan(found[i - first])) << i;
          else
            EXPECT_NEAR(found[i - first], wanted, 1e-5) << i << " reach " << reach;
        }
      }
    }
}

TEST(BlockWindows, RefuseALongerReach) {
  const BlockWindows windows(std::vector<float>{1, 2}, 0, 2, 3);
  std::vector<float> found(2), other(3);
  EXPECT_THROW_KIND(windows.write(WindowStatistic::mean, 4, found), ErrorKind::internal);
  EXPECT_THROW_KIND(windows.write(WindowStatistic::mean, 1, other), ErrorKind::internal);
}

TEST(WindowStatistics, HaveNames) {
  EXPECT_EQ(window_statistic("deviation"), WindowStatistic::deviation);
  EXPECT_THROW_KIND(window_statistic("median"), ErrorKind::input);
}

}  // namespace
}  // namespace beatscan
