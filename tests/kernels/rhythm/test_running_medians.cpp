#include "kernels/rhythm/rhythm.h"

#include <algorithm>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Doubles = std::vector<double>;

template <class Context>
class RunningMedians : public OnBackend<Context> {
 protected:
  Doubles medians(const Doubles& x, int reach) {
    auto& context = this->context();
    Buffer<double, Context> found(context, std::ssize(x));
    running_medians(context, from_host(context, x), reach, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(RunningMedians, Backends, BackendNames);

TYPED_TEST(RunningMedians, ByHand) {
  EXPECT_EQ(this->medians({5, 1, 3}, 1), (Doubles{5, 3, 3}));
  EXPECT_EQ(this->medians({5, 1, 3}, 2), (Doubles{5, 3, 3}));
  EXPECT_EQ(this->medians({5, 1}, 0), (Doubles{5, 1}));
  EXPECT_EQ(this->medians({7}, 8), (Doubles{7}));
  EXPECT_TRUE(this->medians({}, 3).empty());
}

TYPED_TEST(RunningMedians, MatchTheirDefinitionAroundABlock) {
  for (const std::int64_t size : sizes_around(256)) {
    SCOPED_TRACE(shape_and_seed("intervals", size, size));
    const Doubles x = random_signal<double>(size, size, 15);
    const auto medians = this->medians(x, 8);
    for (std::int64_t i = 0; i < size; ++i) {
      Doubles window;
      for (std::int64_t j = i - 8; j <= i + 8; ++j) window.push_back(x[std::clamp<std::int64_t>(j, 0, size - 1)]);
      std::ranges::sort(window);
      ASSERT_EQ(medians[i], window[8]) << i;
    }
  }
}

TYPED_TEST(RunningMedians, BadShapesThrow) {
  auto& context = this->context();
  Buffer<double, TypeParam> medians(context, 2);
  EXPECT_THROW_KIND(running_medians(context, from_host(context, Doubles{1}), 1, medians), ErrorKind::internal);
  EXPECT_THROW_KIND(this->medians({1}, kMostMedianReach + 1), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
