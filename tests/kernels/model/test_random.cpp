#include "kernels/model/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

using Words = std::vector<std::uint32_t>;

Words philox_words(PhiloxWords counter, std::uint32_t key0, std::uint32_t key1) {
  const auto [words] = philox(counter, key0, key1);
  return {words, words + 4};
}

// The known answers published with Random123 (kat_vectors, philox4x32 10).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox_words({{0, 0, 0, 0}}, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox_words({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox_words({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, EveryPartOfAKeyAndOfAnIndexMatters) {
  std::set<Words> seen;
  const auto add = [&](RandomKey key, std::int64_t i) {
    const auto [words] = random_words(key, i);
    EXPECT_TRUE(seen.insert({words, words + 4}).second);
  };
  add({}, 0);
  add({.seed = 1}, 0);
  add({.seed = std::uint64_t{1} << 32}, 0);
  add({.stream = RandomStream::generated}, 0);
  add({.epoch = 1}, 0);
  add({}, 1);
  add({}, std::int64_t{1} << 32);
}

template <class Context>
class Random : public OnBackend<Context> {
 protected:
  std::vector<std::int32_t> shuffled(RandomKey key, std::int64_t n) {
    Buffer<std::int32_t, Context> indices(this->context(), n);
    shuffle(this->context(), key, {}, indices);
    return to_host(this->context(), indices);
  }
  std::vector<float> normal(RandomKey key, std::int64_t n) {
    Buffer<float, Context> values(this->context(), n);
    fill_normal(this->context(), key, values);
    return to_host(this->context(), values);
  }
};
TYPED_TEST_SUITE(Random, Backends, BackendNames);

TYPED_TEST(Random, OfNothing) {
  EXPECT_TRUE(this->shuffled({}, 0).empty());
  EXPECT_TRUE(this->normal({}, 0).empty());
}

TYPED_TEST(Random, ShuffleIsAPermutation) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 15, 16, 17, 255, 256, 257, 1023, 1024, 1025, 65'536, 100'003}) {
    SCOPED_TRACE(n);
    auto indices = this->shuffled({99, RandomStream::split, 1}, n);
    EXPECT_TRUE(n < 5 || !std::ranges::is_sorted(indices));
    std::ranges::sort(indices);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(indices[i], i);
  }
}

// Items move as their indices do.
TYPED_TEST(Random, ShufflesItems) {
  const RandomKey key{5, RandomStream::batch_order, 1};
  std::vector<std::int32_t> items(1000);
  for (int i = 0; i < 1000; ++i) items[i] = (i * 7919) % 100'000;
  items[3] = items[700];
  const auto on_context = from_host(this->context(), items);
  Buffer<std::int32_t, TypeParam> found(this->context(), 1000);
  shuffle(this->context(), key, on_context, found);
  std::vector<std::int32_t> expected;
  for (const std::int32_t i : this->shuffled(key, 1000)) expected.push_back(items[i]);
  EXPECT_EQ(to_host(this->context(), found), expected);
  EXPECT_THROW_KIND(shuffle(this->context(), key, on_context, found.span().first(10)), ErrorKind::internal);
}

// A seed must mean the same on every machine and on both back ends, also after a change to the code.
TYPED_TEST(Random, ShuffleIsFixed) {
  EXPECT_EQ(this->shuffled({7, RandomStream::split, 0}, 8), (std::vector<std::int32_t>{0, 7, 6, 4, 2, 5, 1, 3}));
  const auto many = this->shuffled({0xfedcba9876543210, RandomStream::batch_order, 3}, 100'003);
  EXPECT_EQ(std::vector<std::int32_t>(many.begin(), many.begin() + 4),
            (std::vector<std::int32_t>{87728, 91791, 99947, 49459}));
}

TYPED_TEST(Random, EveryPartOfAKeyChangesTheShuffle) {
  const RandomKey key{7, RandomStream::split, 0};
  const auto reference = this->shuffled(key, 1000);
  for (const RandomKey other : {RandomKey{8, RandomStream::split, 0}, RandomKey{7, RandomStream::batch_order, 0},
                                RandomKey{7, RandomStream::split, 1}}) {
    const auto shuffled = this->shuffled(other, 1000);
    int same = 0;  // positions that keep their item: 1 expected, with a standard deviation of 1
    for (int i = 0; i < 1000; ++i) same += shuffled[i] == reference[i];
    EXPECT_LE(same, 8);
  }
}

// In 10,000 shuffles of n each index comes to each place equally often, and so does each pair of indices to two
// neighbouring places. Chi-squared with d degrees of freedom is within five of its standard deviations sqrt(2 d).
TYPED_TEST(Random, ShufflesAreUniform) {
  const auto shuffles = 10'000 / static_cast<std::uint32_t>(test_stride());
  for (const int n : {2, 5, 20}) {
    SCOPED_TRACE(n);
    std::vector<double> places(n * n), pairs(n * n);
    for (std::uint32_t epoch = 0; epoch < shuffles; ++epoch) {
      const auto order = this->shuffled({5, RandomStream::batch_order, epoch}, n);
      for (int i = 0; i < n; ++i) ++places[i * n + order[i]];
      for (int i = 0; i + 1 < n; ++i) ++pairs[order[i] * n + order[i + 1]];
    }
    const auto chi_squared = [&](const std::vector<double>& counts, double expected, bool diagonal) {
      double sum = 0;
      for (int i = 0; i < n * n; ++i)
        if (diagonal || i % (n + 1) != 0) sum += std::pow(counts[i] - expected, 2) / expected;
      return sum;
    };
    const double d = (n - 1) * (n - 1);
    EXPECT_NEAR(chi_squared(places, shuffles / static_cast<double>(n), true), d, 5 * std::sqrt(2 * d));
    const double e = n * (n - 1) - 1;
    EXPECT_NEAR(chi_squared(pairs, shuffles / static_cast<double>(n), false), e, 5 * std::sqrt(2 * e) + 1);
  }
}

std::vector<float> expected_normal(RandomKey key, std::int64_t n) {
  std::vector<float> values;
  for (std::int64_t i = 0; 2 * i < n; ++i) {
    const PhiloxWords words = random_words(key, i);
    // The number is rounded as in the kernel, because near 1 the logarithm depends on it strongly.
    const float uniform = (static_cast<float>(words.word[0] >> 8) + 0.5f) / (1 << 24);
    const double angle = 2 * std::numbers::pi * (words.word[1] >> 8) / (1 << 24);
    const double radius = std::sqrt(-2 * std::log(static_cast<double>(uniform)));
    values.push_back(static_cast<float>(radius * std::cos(angle)));
    if (2 * i + 1 < n) values.push_back(static_cast<float>(radius * std::sin(angle)));
  }
  return values;
}

// The tolerance is 5e-6: the angle, up to 2 pi, is rounded to float32 twice, by 5e-7 together, and the radius is
// below 6. Both back ends lie within 5e-6 of the definition, and so within 1e-5 of each other.
TYPED_TEST(Random, NormalMatchesDefinition) {
  for (const std::int64_t n : {1, 2, 3, 510, 511, 512, 513, 514, 2567, 300'001}) {
    const RandomKey key{static_cast<std::uint64_t>(n), RandomStream::latent_noise, 2};
    SCOPED_TRACE(shape_and_seed("n", n, key.seed));
    const auto values = this->normal(key, n), expected = expected_normal(key, n);
    ASSERT_EQ(values.size(), expected.size());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_NEAR(values[i], expected[i], 5e-6) << "at " << i;
  }
}

// Property: value i depends on the key and i alone, so fewer values are the first of more.
TYPED_TEST(Random, NormalValuesDoNotDependOnTheirNumber) {
  const RandomKey key{3, RandomStream::generated, 0};
  const auto many = this->normal(key, 200'000);
  for (const std::int64_t n : {1, 257, 65'537, 199'999})
    EXPECT_EQ(this->normal(key, n), std::vector<float>(many.begin(), many.begin() + n)) << n;
}

// The tolerance is five standard deviations of each moment of n independent values. The variances are 1, 2, 15 and 96
// over n, and 1 over n/2 for the pairs.
TYPED_TEST(Random, NormalMoments) {
  constexpr std::int64_t n = 1'000'000;
  const auto values = this->normal({12, RandomStream::test_noise, 0}, n);
  double sums[4] = {}, product = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    ASSERT_TRUE(std::isfinite(values[i]));
    for (int power = 0; power < 4; ++power) sums[power] += std::pow(static_cast<double>(values[i]), power + 1);
    if (i % 2) product += static_cast<double>(values[i - 1]) * values[i];
  }
  const auto tolerance = [&](double variance) { return 5 * std::sqrt(variance / n); };
  EXPECT_NEAR(sums[0] / n, 0, tolerance(1));
  EXPECT_NEAR(sums[1] / n, 1, tolerance(2));
  EXPECT_NEAR(sums[2] / n, 0, tolerance(15));
  EXPECT_NEAR(sums[3] / n, 3, tolerance(96));
  EXPECT_NEAR(product / (n / 2), 0, tolerance(2));
}

#ifdef BEATSCAN_WITH_CUDA
class RandomBothBackends : public OnBackend<Cuda> {};

TEST_F(RandomBothBackends, Agree) {
  Cpu& cpu = shared_context(std::type_identity<Cpu>{});
  const RandomKey key{77, RandomStream::latent_noise, 9};
  Buffer<float, Cuda> on_device(context(), 100'001);
  Buffer<float, Cpu> on_host(cpu, 100'001);
  fill_normal(context(), key, on_device);
  fill_normal(cpu, key, on_host);
  const auto fetched = to_host(context(), on_device);
  for (std::size_t i = 0; i < fetched.size(); ++i) ASSERT_NEAR(fetched[i], on_host.data()[i], 1e-5) << "at " << i;
}
#endif

}  // namespace
}  // namespace beatscan
