#include "kernels/signal/parts.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using PartValues = std::vector<float>;

template <class Context>
class PartMaxima : public OnBackend<Context> {
 protected:
  // `x` begins with sample `begin` of a signal of `size` samples.
  PartValues of(const PartValues& x, std::int64_t begin, std::int64_t size, int width, std::int64_t first,
                std::int64_t count) {
    auto& context = this->context();
    Buffer<float, Context> maxima(context, count);
    const auto held = from_host(context, x);
    part_maxima(context, {held, begin, size}, width, first, maxima);
    return to_host(context, maxima);
  }
  PartValues beside(const PartValues& parts, const std::vector<std::int64_t>& places) {
    auto& context = this->context();
    Buffer<float, Context> largest(context, std::ssize(places));
    largest_beside(context, from_host(context, parts), from_host(context, places), largest);
    return to_host(context, largest);
  }
};
TYPED_TEST_SUITE(PartMaxima, Backends, BackendNames);

TYPED_TEST(PartMaxima, ByHand) {
  EXPECT_EQ(this->of({1, 3, 2, -1, -2, -3, 7}, 0, 7, 3, 0, 3), (PartValues{3, -1, 7})) << "the last part is shorter";
  EXPECT_EQ(this->of({9, 1, 2, 8, 4, 5}, 2, 20, 3, 1, 1), (PartValues{8})) << "samples 3 to 5 of a part of the signal";
  EXPECT_EQ(this->of({}, 0, 0, 3, 0, 0), PartValues{});
}

TYPED_TEST(PartMaxima, MatchesItsDefinition) {
  for (const std::int64_t n : sizes_around(256))
    for (const int width : {1, 10, 300}) {
      SCOPED_TRACE(testing::Message() << shape_and_seed("n", n, n) << " width=" << width);
      const auto x = random_signal(n, n);
      const auto found = this->of(x, 0, n, width, 0, parts_for(n, width));
      for (std::int64_t i = 0; i < std::ssize(found); ++i)
        ASSERT_EQ(found[i], *std::max_element(x.begin() + i * width, x.begin() + std::min((i + 1) * width, n))) << i;
    }
}

TYPED_TEST(PartMaxima, OfAPartAndItsNeighbours) {
  EXPECT_EQ(this->beside({5, 1, 2, 0, 9}, {0, 1, 2, 3, 4, 2}), (PartValues{5, 5, 2, 9, 9, 2}));
  EXPECT_EQ(this->beside({3}, {0, -1, 1, 2}), (PartValues{3, 3, 3, 0}))
      << "places outside have one neighbouring part, or none";
  EXPECT_EQ(this->beside({3}, {}), PartValues{});
  for (const std::int64_t n : sizes_around(256)) {
    auto x = random_signal(n, n);
    std::vector<std::int64_t> places;
    PartValues expected;
    for (std::int64_t i = 0; i < n; ++i) x[i] = std::abs(x[i]);
    for (std::int64_t i = n; i-- > 0;) {
      places.push_back(i);
      expected.push_back(
          *std::max_element(x.begin() + std::max<std::int64_t>(i - 1, 0), x.begin() + std::min(i + 2, n)));
    }
    EXPECT_EQ(this->beside(x, places), expected) << shape_and_seed("n", n, n);
  }
  auto& context = this->context();
  Buffer<float, TypeParam> one(context, 1);
  const auto two = from_host(context, std::vector<std::int64_t>{0, 0});
  EXPECT_THROW_KIND(largest_beside(context, one, two, one), ErrorKind::internal);
}

TYPED_TEST(PartMaxima, OfSamplesThatAreNotHeldThrow) {
  EXPECT_THROW_KIND(this->of({1, 2, 3}, 0, 9, 2, 0, 2), ErrorKind::internal) << "the second part is cut off";
  EXPECT_THROW_KIND(this->of({1, 2, 3}, 1, 9, 2, 0, 1), ErrorKind::internal) << "it begins before";
  EXPECT_THROW_KIND(this->of({1, 2, 3}, 0, 3, 0, 0, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of({1, 2, 3}, 0, 3, 2, 0, 3), ErrorKind::internal) << "there are two parts";
}

}  // namespace
}  // namespace beatscan
