#include "kernels/rhythm/known_medians.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr float kNotKnown = std::numeric_limits<float>::quiet_NaN();

using Floats = std::vector<float>;

template <class Context>
class KnownMedians : public OnBackend<Context> {
 protected:
  std::vector<double> found(const Floats& values, double least = -1e9, double most = 1e9) {
    Buffer<double, Context> medians(this->context(), std::ssize(values));
    known_medians(this->context(), from_host(this->context(), values), least, most, medians);
    return to_host(this->context(), medians);
  }
};
TYPED_TEST_SUITE(KnownMedians, Backends, BackendNames);

TYPED_TEST(KnownMedians, ByHand) {
  EXPECT_EQ(this->found({5, 1, 3}), (std::vector<double>{3, 3, 3}));
  EXPECT_EQ(this->found({5, 1}, 2, 4), (std::vector<double>{3, 3}));
  const auto medians = this->found({kNotKnown, 7, kNotKnown});
  EXPECT_TRUE(std::isnan(medians[0]) && std::isnan(medians[2]));
  EXPECT_EQ(medians[1], 7);
}

TYPED_TEST(KnownMedians, AreThoseOfTheNearestValuesThatExist) {
  std::mt19937 random(1);
  for (const int one_in : {1, 2, 40}) {
    SCOPED_TRACE(one_in);
    Floats values(700, kNotKnown);
    for (float& value : values)
      if (random() % one_in == 0) value = static_cast<float>(random() % 9) / 4;
    std::vector<double> some;
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < std::ssize(values); ++i)
      if (std::isfinite(values[i])) some.push_back(values[i]), places.push_back(i);
    const auto found = this->found(values);
    for (std::int64_t k = 0; k < std::ssize(some); ++k) {
      const std::int64_t first = std::max<std::int64_t>(k - kMedianSide, 0);
      std::vector<double> window(some.begin() + first, some.begin() + std::min(k + kMedianSide, std::ssize(some)));
      std::ranges::sort(window);
      const std::size_t size = window.size();
      ASSERT_EQ(found[places[k]], (window[(size - 1) / 2] + window[size / 2]) / 2) << places[k];
    }
  }
}

TYPED_TEST(KnownMedians, RefuseBadShapes) {
  Buffer<double, TypeParam> medians(this->context(), 2);
  EXPECT_THROW_KIND(known_medians(this->context(), from_host(this->context(), Floats{1}), 0, 1, medians),
                    ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
