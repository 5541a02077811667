#include "kernels/lists/running.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/expected_quantile.h"

namespace beatscan {
namespace {

using Doubles = std::vector<double>;
using Counts = std::vector<std::uint32_t>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Values of both signs, many of them alike.
Doubles made_values(std::int64_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Doubles values(size);
  for (double& value : values)
    value =
        random() % 3 == 0 ? 0.8 : 1e-3 * static_cast<double>(random() % 5000) - 1.5 * static_cast<double>(random() % 2);
  return values;
}

template <class Context>
class Running : public OnBackend<Context> {
 protected:
  Doubles quantile(const Doubles& values, int reach, double q) {
    auto& context = this->context();
    const auto loaded = from_host(context, values);
    Buffer<double, Context> found(context, std::ssize(values));
    running_quantiles(context,
                      std::vector<RunningQuantiles>{{.values = loaded, .reach = reach, .quantiles = {{q, found}}}});
    return to_host(context, found);
  }
  Doubles means(const Doubles& values, int reach) {
    auto& context = this->context();
    const auto loaded = from_host(context, values);
    Buffer<double, Context> found(context, std::ssize(values));
    running_means(context, std::vector<RunningMeans>{{loaded, reach, found}});
    return to_host(context, found);
  }
  std::pair<Doubles, Counts> selection(const Doubles& values, const std::vector<std::uint8_t>& chosen,
                                       std::int64_t fewest = 0) {
    auto& context = this->context();
    SelectedValues<Context> found(context, std::ssize(values));
    select_values(context, from_host(context, values), from_host(context, chosen), fewest, found.values, found.before);
    auto before = to_host(context, found.before);
    auto some = to_host(context, found.values);
    some.resize(before.back());
    return {some, before};
  }
};
TYPED_TEST_SUITE(Running, Backends, BackendNames);

TYPED_TEST(Running, ByHand) {
  EXPECT_EQ(this->quantile({5, -1, 4, 2, 3}, 2, 0.5), (Doubles{2, 4, 3, 2.5, 3}));
  EXPECT_EQ(this->quantile({-2, -1}, 1, 0), (Doubles{-2, -2}));
  EXPECT_EQ(this->means({1, 2, 6}, 1), (Doubles{1.5, 3, 4}));
  EXPECT_TRUE(this->quantile({}, 2, 0.5).empty());
  EXPECT_TRUE(this->means({}, 1).empty());
}

TYPED_TEST(Running, QuantilesMatchTheirDefinition) {
  for (const std::int64_t size : {1, 31, 33, 300, 8300})
    for (const int reach : {1, 15, 16, 17, 32, 33, 64}) {
      SCOPED_TRACE(testing::Message() << "size=" << size << " reach=" << reach);
      const auto values = made_values(size, size + reach);
      const auto found = this->quantile(values, reach, 0.6);
      for (std::int64_t i = 0; i<size; i += size> 300 ? 37 : 1) {
        Doubles window(values.begin() + std::max<std::int64_t>(i - reach, 0),
                       values.begin() + std::min(i + reach, size));
        std::ranges::sort(window);
        // Between two order statistics the reference rounds in another order.
        ASSERT_NEAR(found[i], expected_quantile(window, 0.6), 1e-15 * 8) << i;
      }
    }
}

TYPED_TEST(Running, ListsOfALaunchAreIndependent) {
  auto& context = this->context();
  const auto few = made_values(40, 1), many = made_values(700, 2);
  const auto loaded_few = from_host(context, few), loaded_many = from_host(context, many);
  Buffer<double, TypeParam> lower(context, 700), upper(context, 700), of_few(context, 40);
  std::vector<RunningQuantiles> all{{.values = loaded_few, .reach = 8, .quantiles = {{0.5, of_few}}}};
  for (int k = 0; k < 20; ++k)  // more than a launch takes
    all.push_back({.values = loaded_many, .reach = 40, .quantiles = {{0.25, lower}, {0.9, upper}}});
  running_quantiles(context, all);
  EXPECT_EQ(to_host(context, of_few), this->quantile(few, 8, 0.5));
  EXPECT_EQ(to_host(context, lower), this->quantile(many, 40, 0.25));
  EXPECT_EQ(to_host(context, upper), this->quantile(many, 40, 0.9));
}

// The sums begin anew every kMeansBlock places, and a sum of many values rounds in the order of the places.
TYPED_TEST(Running, MeansAddUpInTheOrderOfPlaces) {
  for (const std::int64_t size : {1, 2, 32, 33, 200, 4096, 4097, 4200, 9000})
    for (const int reach : {1, 5, 16, 64}) {
      SCOPED_TRACE(testing::Message() << "size=" << size << " reach=" << reach);
      const auto values = made_values(size, 3 * size + reach);
      const auto found = this->means(values, reach);
      for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t begin = i / kMeansBlock * kMeansBlock, low = std::max<std::int64_t>(begin - reach, 0);
        const std::int64_t first = std::max<std::int64_t>(i - reach, 0), last = std::min(i + reach + 1, size);
        double before = 0, sum = 0;
        for (std::int64_t j = low; j < last; ++j) {
          if (j == first) before = sum;
          sum += values[j];
        }
        ASSERT_EQ(found[i], (sum - before) / static_cast<double>(last - first)) << i;
        if (size > 300 && i == begin + 300) i = std::min(begin + kMeansBlock, size) - 300;  // the ends of blocks
      }
    }
}

TYPED_TEST(Running, SelectionsAreInOrder) {
  EXPECT_EQ(this->selection({3, kNan, 1, 2}, {}), (std::pair<Doubles, Counts>({3, 1, 2}, {0, 1, 1, 2, 3})));
  EXPECT_EQ(this->selection({3, 4, 1, 2}, {0, 1, 0, 1}), (std::pair<Doubles, Counts>({4, 2}, {0, 0, 1, 1, 2})));
  EXPECT_EQ(this->selection({3, 4}, {0, 1}, 2), (std::pair<Doubles, Counts>({3, 4}, {0, 1, 2})));
  EXPECT_EQ(this->selection({}, {}).second, Counts{0});
  for (const std::int64_t size : {31, 1023, 1024, 1025, 5000}) {
    const auto values = made_values(size, size);
    std::vector<std::uint8_t> chosen(size);
    Doubles expected;
    for (std::int64_t i = 0; i < size; ++i) {
      chosen[i] = i * i % 7 < 3;
      if (chosen[i]) expected.push_back(values[i]);
    }
    const auto [some, before] = this->selection(values, chosen);
    EXPECT_EQ(some, expected) << size;
    for (std::int64_t i = 0; i < size; ++i) ASSERT_EQ(before[i + 1] - before[i], chosen[i]) << i;
  }
}

// Two lists, one after the other, of which the finite values are selected: windows stay within their list.
TYPED_TEST(Running, QuantilesOfSelectedValuesStayInTheirList) {
  auto& context = this->context();
  SelectedValues<TypeParam> some(context, 6);
  select_values(context, from_host(context, Doubles{1, kNan, 3, 10, 20, kNan}), {}, 0, some.values, some.before);
  Buffer<double, TypeParam> first(context, 3), second(context, 3);
  const auto before = some.before.span();
  running_quantiles(context,
                    std::vector<RunningQuantiles>{
                        {.values = some.values, .before = before.first(4), .reach = 5, .quantiles = {{0.5, first}}},
                        {.values = some.values, .before = before.last(4), .reach = 5, .quantiles = {{0.5, second}}}});
  EXPECT_EQ(to_host(context, first), (Doubles{2, 2, 2}));
  EXPECT_EQ(to_host(context, second), (Doubles{15, 15, 15}));
}

TYPED_TEST(Running, BadShapesThrow) {
  auto& context = this->context();
  Buffer<double, TypeParam> values(context, 3), found(context, 2);
  const auto quantiles = [&](int reach, double q) {
    running_quantiles(context,
                      std::vector<RunningQuantiles>{{.values = values, .reach = reach, .quantiles = {{q, values}}}});
  };
  EXPECT_THROW_KIND(quantiles(0, 0.5), ErrorKind::internal);
  EXPECT_THROW_KIND(quantiles(kMostRunningReach + 1, 0.5), ErrorKind::internal);
  EXPECT_THROW_KIND(quantiles(1, 1.5), ErrorKind::internal);
  EXPECT_THROW_KIND(running_means(context, std::vector<RunningMeans>{{values, 1, found}}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
