#include "kernels/signal/leakage.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/wavelets.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using LeakySignal = std::vector<float>;
using Firsts = std::vector<std::int64_t>;

// A filter that leaves each sample unchanged, and a smoothing that is subtracted: over one point, so that nothing is
// left of the signal, or over none.
const LeakageFilters kPlain{1, {kTapUnit}, {0, kTapUnit, 0}};

template <class Context>
class LeakageTest : public OnBackend<Context> {
 protected:
  std::vector<Leakage> of(const LeakySignal& x, const Firsts& firsts, int points, const LeakageFilters& filters) {
    auto& context = this->context();
    Buffer<Leakage, Context> found(context, std::ssize(firsts));
    leakage(context, from_host(context, x), from_host(context, firsts), points, filters, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(LeakageTest, Backends, BackendNames);

LeakySignal sine(std::int64_t n, double rate_hz, double hz) {
  LeakySignal x(n);
  for (std::int64_t i = 0; i < n; ++i)
    x[i] = static_cast<float>(std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / rate_hz));
  return x;
}

// Computes the leakage in float64, without the steps to integers.
double expected_leakage(const LeakySignal& x, std::int64_t first, int points, double rate_hz) {
  const int step = std::max(static_cast<int>(std::lround(rate_hz / 125)), 1);
  const auto sharp = gaussian(0.006, rate_hz), blunt = gaussian(0.150, rate_hz / step);
  const auto reach = static_cast<std::int64_t>(blunt.size() / 2), beside = static_cast<std::int64_t>(sharp.size() / 2);
  const auto at = [&](std::int64_t i) { return x[std::clamp<std::int64_t>(i, 0, std::ssize(x) - 1)]; };
  std::vector<double> smoothed(points + 2 * reach), v(points);
  for (std::int64_t i = 0; i < std::ssize(smoothed); ++i)
    for (std::int64_t j = 0; j < std::ssize(sharp); ++j)
      smoothed[i] += sharp[j] * at(first + (i - reach) * step + j - beside);
  double mean = 0, size = 0, change = 0, apart = 0, together = 0;
  for (int i = 0; i < points; ++i) {
    v[i] = smoothed[i + reach];
    for (std::int64_t j = 0; j < std::ssize(blunt); ++j) v[i] -= blunt[j] * smoothed[i + j];
    mean += v[i] / points;
  }
  for (double& value : v) value -= mean;
  for (int i = 0; i < points; ++i) {
    size += std::abs(v[i]);
    if (i > 0) change += std::abs(v[i] - v[i - 1]);
  }
  const int lag = std::clamp(static_cast<int>(std::numbers::pi * size / change + 0.5), 1, points / 2);
  for (int i = lag; i < points; ++i) {
    apart += std::abs(v[i] + v[i - lag]);
    together += std::abs(v[i]) + std::abs(v[i - lag]);
  }
  return apart / together;
}

// The taps leave nothing, except for the mean: v is 0 everywhere. Then the leakage is 1.
TYPED_TEST(LeakageTest, OfNothingIsAll) {
  for (const auto& found : {this->of({1, 2, 3, 4, 5, 6}, {0}, 4, kPlain)[0],
                            this->of(LeakySignal(500, 3.0f), {0}, 100, leakage_filters(125))[0]}) {
    EXPECT_EQ(found.together, 0);
    EXPECT_EQ(found.share(), 1);
  }
}

// q is -32768 and 32767 in turn, 8 q is s, and what the wide filter subtracts is 0 or 4: v is s minus that and minus
// the mean. The size of a change is twice that of v, so that the lag is floor(pi / 2 + 1/2) = 2: a whole period.
TYPED_TEST(LeakageTest, OfAlternatingSamplesByHand) {
  LeakySignal x(64);
  for (int i = 0; i < 64; ++i) x[i] = i % 2 == 0 ? -1.0f : 1.0f;
  const LeakageFilters two{1, {kTapUnit}, {kTapUnit / 4, kTapUnit / 2, kTapUnit / 4}};
  const auto found = this->of(x, {16}, 32, two)[0];
  EXPECT_EQ(found.lag, 2);
  EXPECT_EQ(found.apart, found.together) << "all values meet their like";
  EXPECT_EQ(found.range, 2);
  EXPECT_NEAR(static_cast<double>(found.together), 30 * 2 * 8 * 32767.5, 30.0 * 2 * 8);
}

TYPED_TEST(LeakageTest, OfASineIsSmallAndItsLagIsHalfAPeriod) {
  for (const double rate : {125.0, 250.0, 360.0, 1000.0}) {
    const auto filters = leakage_filters(rate);
    const int points = static_cast<int>(4 * rate) / filters.step;
    const auto found = this->of(sine(static_cast<std::int64_t>(8 * rate), rate, 5), {static_cast<std::int64_t>(rate)},
                                points, filters)[0];
    EXPECT_LT(found.share(), 0.15) << rate;  // half a period is no whole number of points
    EXPECT_NEAR(rate / filters.step / (2.0 * found.lag), 5, 0.5) << rate;
    EXPECT_NEAR(found.range, 2, 0.02) << rate;
  }
}

TYPED_TEST(LeakageTest, OfASpikeIsNearOne) {
  LeakySignal x(1000);
  for (int i = -5; i <= 5; ++i) x[500 + i] = static_cast<float>(5 - std::abs(i));
  EXPECT_GT(this->of(x, {0}, 500, leakage_filters(250))[0].share(), 0.7);
}

// Integers of 16 bits and taps in 1 / 4096 cost less than this.
TYPED_TEST(LeakageTest, MatchesItsDefinition) {
  for (const double rate : {100.0, 250.0, 500.0}) {
    std::mt19937 random(static_cast<unsigned>(rate));
    std::normal_distribution<float> step;
    LeakySignal x(static_cast<std::size_t>(20 * rate));
    for (std::size_t i = 1; i < x.size(); ++i) x[i] = 0.95f * x[i - 1] + step(random);
    const auto filters = leakage_filters(rate);
    const int points = static_cast<int>(4 * rate) / filters.step;
    const Firsts firsts{-static_cast<std::int64_t>(rate), 0, static_cast<std::int64_t>(7 * rate),
                        static_cast<std::int64_t>(17 * rate)};
    const auto found = this->of(x, firsts, points, filters);
    for (std::size_t i = 0; i < firsts.size(); ++i)
      EXPECT_NEAR(found[i].share(), expected_leakage(x, firsts[i], points, rate), 0.02) << rate << " " << firsts[i];
  }
}

TYPED_TEST(LeakageTest, OfScaledAndMovedSignalIsTheSame) {
  const auto x = random_signal(2000, 4, 64);
  auto scaled = x;
  for (float& value : scaled) value = 8 * value + 32;  // exact
  const auto filters = leakage_filters(250);
  const auto a = this->of(x, {300, 700}, 500, filters), b = this->of(scaled, {300, 700}, 500, filters);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(a[i].apart, b[i].apart);
    EXPECT_EQ(a[i].together, b[i].together);
    EXPECT_EQ(8 * a[i].range, b[i].range);
  }
}

#ifdef BEATSCAN_WITH_CUDA
TEST(LeakageOnBothBackEnds, IsTheSameToTheLastBit) {
  if (cuda_availability().devices == 0) GTEST_SKIP() << "needs a GPU: " << cuda_availability().reason;
  const auto x = random_signal(30000, 9, 1000);
  const auto filters = leakage_filters(360);
  Firsts firsts;
  for (std::int64_t i = -360; i < 30000; i += 719) firsts.push_back(i);
  const auto on = [&](auto& context) {
    Buffer<Leakage, std::remove_reference_t<decltype(context)>> found(context, std::ssize(firsts));
    leakage(context, from_host(context, x), from_host(context, firsts), 480, filters, found);
    return to_host(context, found);
  };
  const auto a = on(shared_context(std::type_identity<Cpu>{})), b = on(shared_context(std::type_identity<Cuda>{}));
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].lag, b[i].lag) << i;
    EXPECT_EQ(a[i].range, b[i].range) << i;
    EXPECT_EQ(a[i].apart, b[i].apart) << i;
    EXPECT_EQ(a[i].together, b[i].together) << i;
  }
}
#endif

TYPED_TEST(LeakageTest, OfNoWindowIsEmptyAndABadShapeThrows) {
  const auto filters = leakage_filters(250);
  EXPECT_TRUE(this->of({1, 2, 3}, {}, 500, filters).empty());
  EXPECT_THROW_KIND(this->of({}, {0}, 500, filters), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of({1, 2, 3}, {0}, 3, filters), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of({1, 2, 3}, {0}, kMostLeakagePoints, filters), ErrorKind::internal);
}

TEST(LeakageFilters, HaveWholeTapsOfTheSameSum) {
  for (const double rate : {60.0, 128.0, 250.0, 360.0, 8000.0}) {
    const auto filters = leakage_filters(rate);
    EXPECT_EQ(filters.step, std::max(static_cast<int>(std::lround(rate / 125)), 1));
    for (const auto& taps : {filters.sharp_taps, filters.blunt_taps}) {
      EXPECT_EQ(taps.size() % 2, 1u) << rate;
      std::int32_t sum = 0;
      for (const auto tap : taps) sum += tap;
      EXPECT_EQ(sum, kTapUnit) << rate;
      for (std::size_t i = 0; i < taps.size(); ++i) EXPECT_EQ(taps[i], taps[taps.size() - 1 - i]) << rate;
    }
  }
}

}  // namespace
}  // namespace beatscan
