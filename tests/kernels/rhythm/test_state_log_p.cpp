#include "kernels/rhythm/state_log_p.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
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

// Some values are missing, and a stretch has none.
std::vector<float> measure_with_gaps(std::int64_t beats, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(beats);
  for (float& value : values) {
    value = std::normal_distribution<float>()(random);
    if (random() % 4 == 0) value = random() % 2 ? kNan : kInfinity;
  }
  if (beats > 40) std::fill_n(values.begin() + 20, 9, kNan);
  return values;
}

std::vector<float> whole_measure(std::int64_t beats, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(beats);
  for (float& value : values) value = std::normal_distribution<float>(1, 2)(random);
  return values;
}

constexpr std::array kAllStatistics = {WindowStatistic::mean, WindowStatistic::least, WindowStatistic::most,
                                       WindowStatistic::deviation};

// Adds a measure with every statistic at each reach. Features have random weights for three states.
void add_measure(const float* values, std::initializer_list<int> reaches, std::mt19937& random,
                 WindowRegression& regression) {
  std::normal_distribution<float> normal;
  regression.measures.push_back(values);
  for (const int reach : reaches)
    for (const auto statistic : kAllStatistics) {
      regression.features.push_back({statistic, reach, 0.5F * normal(random), 1 + std::abs(normal(random))});
      StateValues& weight = regression.weight.emplace_back(StateValues{});
      for (int s = 0; s < 3; ++s) weight[s] = normal(random) / 10;
    }
  regression.first_feature.push_back(static_cast<std::int32_t>(regression.features.size()));
}

StateValues only_states(std::initializer_list<float> intercepts) {
  StateValues row;
  row.fill(-kInfinity);
  std::ranges::copy(intercepts, row.begin());
  return row;
}

// The definition in double.
std::vector<double> expected_log_p(const WindowRegression& of, const std::vector<std::vector<float>>& measures,
                                   std::int64_t i, int states) {
  std::vector<double> sums(of.intercept.begin(), of.intercept.begin() + states);
  for (std::size_t m = 0; m < measures.size(); ++m)
    for (int f = of.first_feature[m]; f < of.first_feature[m + 1]; ++f) {
      const auto& [statistic, reach, mean, deviation] = of.features[f];
      double z = (expected(measures[m], i, reach, statistic) - mean) / deviation;
      z = std::isnan(z) ? 0 : std::clamp(z, -4.0, 4.0);
      for (int s = 0; s < states; ++s) sums[s] += of.weight[f][s] * z;
    }
  double all = 0;
  for (const double sum : sums) all += std::exp(sum);
  for (double& sum : sums) sum -= std::log(all);
  return sums;
}

template <class Context>
class StateLogP : public OnBackend<Context> {
 protected:
  std::vector<StateValues> found(const WindowRegression& regression, std::int64_t beats) {
    Buffer<StateValues, Context> log_p(this->context(), beats);
    state_log_p(this->context(), regression, log_p);
    return to_host(this->context(), log_p);
  }
};
TYPED_TEST_SUITE(StateLogP, Backends, BackendNames);

// Of one feature: the mean of a beat and its neighbours, 1.5, 2 and 2.5. State 1 has twice the sum of state 0.
TYPED_TEST(StateLogP, ByHand) {
  const auto values = from_host(this->context(), std::vector<float>{1, 2, 3});
  WindowRegression regression{.measures = {values.data()},
                              .first_feature = {0, 1},
                              .features = {{WindowStatistic::mean, 1, 1, 0.5F}},
                              .weight = {{1, 2}},
                              .intercept = only_states({0, 0})};
  const auto rows = this->found(regression, 3);
  for (int i = 0; i < 3; ++i) {
    const double sum = 1 + i;
    EXPECT_NEAR(rows[i][0], -std::log(1 + std::exp(sum)), 1e-6) << i;  // float32
    EXPECT_NEAR(rows[i][1], sum - std::log(1 + std::exp(sum)), 1e-6) << i;
    EXPECT_EQ(rows[i][2], -kInfinity) << i;
  }
}

// Around tiles of 128 beats, and around the beats that are worth a thread.
TYPED_TEST(StateLogP, MatchesItsDefinition) {
  for (const std::int64_t beats : {1, 2, 60, 127, 128, 129, 511, 513, 1100}) {
    SCOPED_TRACE(beats);
    std::mt19937 random(static_cast<unsigned>(beats));
    const std::vector measures = {measure_with_gaps(beats, 1), whole_measure(beats, 2), measure_with_gaps(beats, 3)};
    const auto first = from_host(this->context(), measures[0]), second = from_host(this->context(), measures[1]),
               third = from_host(this->context(), measures[2]);
    WindowRegression regression{.intercept = only_states({0.5F, -1, 0})};
    add_measure(first.data(), {0, 1, 3, 70}, random, regression);
    add_measure(second.data(), {1, 4, 10}, random, regression);
    add_measure(third.data(), {2}, random, regression);
    const auto rows = this->found(regression, beats);
    for (std::int64_t i = 0; i < beats; ++i) {
      const auto wanted = expected_log_p(regression, measures, i, 3);
      // 32 sums of float32, each of them a few units large
      for (int s = 0; s < 3; ++s) ASSERT_NEAR(rows[i][s], wanted[s], 2e-5) << "beat " << i << " state " << s;
    }
  }
}

TYPED_TEST(StateLogP, TakesTheLongestReach) {
  const auto values = whole_measure(300, 4);
  const auto measure = from_host(this->context(), values);
  std::mt19937 random(5);
  WindowRegression regression{.intercept = only_states({0, 1, 2})};
  add_measure(measure.data(), {kMostWindowReach}, random, regression);
  const auto rows = this->found(regression, 300);
  const auto wanted = expected_log_p(regression, {values}, 299, 3);
  for (int s = 0; s < 3; ++s) EXPECT_NEAR(rows[299][s], wanted[s], 2e-5) << s;
}

TYPED_TEST(StateLogP, OfNoBeatsIsNothing) {
  std::mt19937 random(6);
  WindowRegression regression{.intercept = only_states({0})};
  add_measure(nullptr, {1}, random, regression);
  EXPECT_TRUE(this->found(regression, 0).empty());
}

TYPED_TEST(StateLogP, RefusesBadShapes) {
  std::mt19937 random(7);
  WindowRegression longer{.intercept = only_states({0})}, unsorted = longer, uneven = longer;
  add_measure(nullptr, {kMostWindowReach + 1}, random, longer);
  add_measure(nullptr, {3, 2}, random, unsorted);
  add_measure(nullptr, {1}, random, uneven);
  uneven.weight.pop_back();
  for (const auto& regression : {longer, unsorted, uneven})
    EXPECT_THROW_KIND(this->found(regression, 2), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
