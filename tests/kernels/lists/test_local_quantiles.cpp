#include "kernels/lists/local_quantiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/expected_quantile.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

using Doubles = std::vector<double>;
using Places = std::vector<std::int64_t>;

constexpr std::int64_t kPlacesOfThread = 2048;  // that a CPU thread takes

template <class Context>
class LocalQuantiles : public OnBackend<Context> {
 protected:
  Doubles of(const Doubles& values, const Places& middles, int reach, std::array<double, 2> q) {
    auto& context = this->context();
    Buffer<double, Context> found(context, 2 * std::ssize(middles));
    local_quantiles(context, from_host(context, values), from_host(context, middles), reach, q, found);
    return to_host(context, found);
  }
  // Quantiles at all places are computed. Of many places, one in 29 is compared, and those where something begins or
  // ends.
  void expect_definition(const Doubles& values, int reach, std::array<double, 2> q) {
    Places middles(values.size() + 1);
    for (std::size_t i = 0; i < middles.size(); ++i) middles[i] = static_cast<std::int64_t>(i);
    const auto found = of(values, middles, reach, q);
    const auto size = std::ssize(values);
    const auto ends_near = [reach, size](std::int64_t i) {
      return std::ranges::any_of(std::array<std::int64_t, 6>{0, reach, kPlacesOfThread, 2 * reach, size - reach, size},
                                 [i](std::int64_t end) { return std::abs(i - end) <= 1; });
    };
    for (const std::int64_t i : middles) {
      if (size > 300 && i % 29 != 0 && !ends_near(i)) continue;
      Doubles window(values.begin() + std::max<std::int64_t>(i - reach, 0), values.begin() + std::min(i + reach, size));
      std::ranges::sort(window);
      // The order statistics are the same, but between two of them the reference rounds in another order.
      for (int k = 0; k < 2; ++k)
        ASSERT_DOUBLE_EQ(found[2 * i + k], expected_quantile(window, q[k])) << "place " << i << ", q " << q[k];
    }
  }
};
TYPED_TEST_SUITE(LocalQuantiles, Backends, BackendNames);

TYPED_TEST(LocalQuantiles, ByHand) {
  const Doubles values = {5, 1, 4, 2, 3};
  EXPECT_EQ(this->of(values, {0, 2, 2, 5}, 2, {0, 0.5}), (Doubles{1, 3, 1, 3, 1, 3, 2, 2.5}));
  EXPECT_EQ(this->of(values, {2}, 100, {0.5, 1}), (Doubles{3, 5}));
  EXPECT_EQ(this->of({7}, {0, 1}, 1, {0.6, 0.5}), (Doubles{7, 7, 7, 7}));
  const auto none = this->of({}, {0}, 3, {0.6, 0.5});
  EXPECT_TRUE(std::isnan(none[0]) && std::isnan(none[1]));
  EXPECT_TRUE(this->of(values, {}, 3, {0.6, 0.5}).empty());
}

// One Cuda kernel keeps windows of up to 320 values in registers, the other of up to 2,000. A CPU thread takes
// kPlacesOfThread.
TYPED_TEST(LocalQuantiles, MatchesItsDefinition) {
  for (const std::int64_t size : {1, 2, 31, 33, 300, 2500})
    for (const int reach : {1, 16, 150, 160, 161, 1000}) {
      if (left_out()) continue;
      const std::uint64_t seed = size + reach;
      SCOPED_TRACE(testing::Message() << shape_and_seed("size", size, seed) << " reach=" << reach);
      std::mt19937_64 random(seed);
      Doubles even(size), uneven(size), few(size), zeros(size);
      for (std::int64_t i = 0; i < size; ++i) {
        even[i] = 200 + 1e-3 * static_cast<double>(random() % 5000);
        uneven[i] = std::exp(static_cast<double>(random() % 1400) - 700);
        few[i] = 80 + static_cast<double>(random() % 5);
        zeros[i] = 0.25 * static_cast<double>(random() % 3);
      }
      this->expect_definition(even, reach, {0.6, 0.5});
      this->expect_definition(uneven, reach, {0.1, 1});
      this->expect_definition(few, reach, {0.6, 0});
      this->expect_definition(zeros, reach, {0.6, 0.1});
    }
}

// The upper 32 bits of these values are equal, so that the lower ones decide.
TYPED_TEST(LocalQuantiles, DistinguishesNeighbouringValues) {
  std::mt19937_64 random(4);
  Doubles values(1000);
  for (double& value : values) {
    value = 250;
    for (auto steps = random() % 4; steps > 0; --steps) value = std::nextafter(value, 300.0);
    if (random() % 16 == 0)
      value = std::nextafter(0x1p-20 * std::bit_cast<double>(0x40700000ffffffffull), 1e9) * 0x1p20;
  }
  for (const int reach : {3, 40, 150}) this->expect_definition(values, reach, {0.6, 0.5});
}

TYPED_TEST(LocalQuantiles, BadShapesThrow) {
  EXPECT_THROW_KIND(this->of({1}, {0}, 0, {0.5, 0.5}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of({1}, {0}, kMostReach + 1, {0.5, 0.5}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of({1}, {0}, 1, {0.5, 1.5}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
