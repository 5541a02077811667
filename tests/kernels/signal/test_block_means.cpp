// Tests the means that the baseline of centred_rows is made of.
#include <cmath>

#include "kernels/windows/centred_rows.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;

template <class Context>
class BlockMeans : public OnBackend<Context> {
 protected:
  Floats means(const Floats& x, std::int64_t width) {
    auto& context = this->context();
    auto found = from_host(context, Floats((x.size() + width - 1) / width, NAN));  // everything has to be written
    block_means(context, from_host(context, x), width, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(BlockMeans, Backends, BackendNames);

TYPED_TEST(BlockMeans, ByHand) {
  EXPECT_EQ(this->means({1, 2, 3, 4, 5, 6, 8}, 3), (Floats{2, 5, 8}));
  EXPECT_EQ(this->means({1, 2, 3, 4, 5, 7}, 4), (Floats{2.5f, 6})) << "the last of as many as there are";
  EXPECT_EQ(this->means({1, 2, 6}, 100), (Floats{3}));
  EXPECT_EQ(this->means({7}, 1), (Floats{7}));
}

// A Cuda block makes 256 means, a CPU thread 4,096.
TYPED_TEST(BlockMeans, MatchTheirDefinition) {
  for (const std::int64_t blocks : {1, 255, 256, 257, 1287, 8191, 8192, 12'289})
    for (const std::int64_t width : {1, 2, 14}) {
      const std::int64_t n = blocks * width - width / 2;
      SCOPED_TRACE(testing::Message() << shape_and_seed("n", n, n) << " width=" << width);
      const auto x = random_signal(n, n, 2001);
      const auto found = this->means(x, width);
      ASSERT_EQ(std::ssize(found), blocks);
      for (std::int64_t i = 0; i < blocks; ++i) {
        double sum = 0;
        const std::int64_t last = std::min((i + 1) * width, n);
        for (std::int64_t j = i * width; j < last; ++j) sum += x[j];
        // Values are multiples of a half up to 500, so sums are exact. Only a quotient and a sum are rounded.
        ASSERT_NEAR(found[i], sum / static_cast<double>(last - i * width), 1e-4) << i;
      }
    }
}

// The means of a signal far from 0 are as exact as one of its samples is (half a step of 2^-11): plain sums of 10,000
// such values would be tens off.
TYPED_TEST(BlockMeans, KeepTheirDigitsUnderAnOffset) {
  auto x = random_signal(20'000, 3, 101);
  const auto plain = this->means(x, 10'000);
  for (float& value : x) value += 8192;
  const auto moved = this->means(x, 10'000);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(moved[i] - 8192, plain[i], 0.001);
  EXPECT_EQ(this->means(Floats(1000, 0.1f), 300), Floats(4, 0.1f)) << "of a constant the constant";
}

TYPED_TEST(BlockMeans, RefuseBadShapes) {
  auto& context = this->context();
  Buffer<float, TypeParam> x(context, 10), four(context, 4), none(context, 0);
  EXPECT_THROW_KIND(block_means(context, x, 2, four), ErrorKind::internal);
  EXPECT_THROW_KIND(block_means(context, x, 4, four), ErrorKind::internal);
  EXPECT_THROW_KIND(block_means(context, x, 0, four), ErrorKind::internal);
  EXPECT_THROW_KIND(block_means(context, none, 2, none), ErrorKind::internal);
}

TEST(BlockMeansOnCpu, SameBitsForAnyNumberOfThreads) {
  const auto x = random_signal(40'000, 9, 2001);
  const auto run = [&](int threads) {
    Cpu cpu(threads);
    Floats means(20'000);
    block_means(cpu, x, 2, means);
    return means;
  };
  EXPECT_EQ(run(1), run(4));
}

}  // namespace
}  // namespace beatscan
