#include "kernels/rhythm/alike_intervals.h"

#include <algorithm>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Doubles = std::vector<double>;
using Counts = std::vector<std::int32_t>;

template <class Context>
class AlikeIntervals : public OnBackend<Context> {
 protected:
  std::pair<Counts, Counts> pairs(const Doubles& x, double factor, int partners) {
    auto& context = this->context();
    Buffer<std::int32_t, Context> alike(context, std::ssize(x)), compared(context, std::ssize(x));
    alike_pairs(context, from_host(context, x), factor, partners, alike, compared);
    return {to_host(context, alike), to_host(context, compared)};
  }
  Doubles medians(const Doubles& x, int reach) {
    auto& context = this->context();
    Buffer<double, Context> found(context, std::ssize(x));
    running_medians(context, from_host(context, x), reach, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(AlikeIntervals, Backends, BackendNames);

// Pairs are (1, 2), (2, 1), (1, 2), (2, 4). None has two partners on both sides.
TYPED_TEST(AlikeIntervals, PairsByHand) {
  const auto [alike, compared] = this->pairs({1, 2, 1, 2, 4}, 1.1, 2);
  EXPECT_EQ(alike, (Counts{1, 0, 1, 0, 0}));
  EXPECT_EQ(compared, (Counts{2, 3, 3, 2, 0}));
}

// Before pair 2 both pairs are like it, and after it none: the larger side counts.
TYPED_TEST(AlikeIntervals, TheLargerSideCounts) {
  const auto [alike, compared] = this->pairs({1, 1, 1, 1, 5, 9}, 1.1, 2);
  EXPECT_EQ(compared, (Counts{2, 3, 2, 3, 2, 0}));
  EXPECT_EQ(alike, (Counts{2, 2, 2, 0, 0, 0}));
}

// Two intervals whose ratio is the factor are not alike.
TYPED_TEST(AlikeIntervals, AtTheTolerance) {
  EXPECT_EQ(this->pairs({1, 1, 1.25, 1.25}, 1.25, 5).first, (Counts{0, 0, 0, 0}));
  EXPECT_EQ(this->pairs({1, 1, 1.25, 1.25}, 1.2501, 5).first, (Counts{2, 2, 2, 0}));
}

TYPED_TEST(AlikeIntervals, MediansByHand) {
  EXPECT_EQ(this->medians({5, 1, 3}, 1), (Doubles{5, 3, 3}));
  EXPECT_EQ(this->medians({5, 1, 3}, 2), (Doubles{5, 3, 3}));
  EXPECT_EQ(this->medians({5, 1}, 0), (Doubles{5, 1}));
  EXPECT_EQ(this->medians({7}, 8), (Doubles{7}));
}

TYPED_TEST(AlikeIntervals, EmptyAndOne) {
  EXPECT_TRUE(this->pairs({}, 1.1, 3).first.empty());
  EXPECT_EQ(this->pairs({1}, 1.1, 3).second, Counts{0});
  EXPECT_EQ(this->pairs({1, 1}, 1.1, 3).second, (Counts{0, 0}));
  EXPECT_TRUE(this->medians({}, 3).empty());
}

TYPED_TEST(AlikeIntervals, MatchesDefinitionAroundABlock) {
  for (const std::int64_t size : sizes_around(256)) {
    SCOPED_TRACE(shape_and_seed("intervals", size, size));
    Doubles x = random_signal<double>(size, size, 15);
    for (double& value : x) value += 20;
    const auto [alike, compared] = this->pairs(x, 1.03, 60);
    const auto medians = this->medians(x, 8);
    const auto like = [&](std::int64_t i, std::int64_t j) {
      const auto near = [](double a, double b) { return a < b * 1.03 && b < a * 1.03; };
      return near(x[i], x[j]) && near(x[i + 1], x[j + 1]);
    };
    for (std::int64_t i = 0; i < size; ++i) {
      int left = 0, right = 0, lefts = 0, rights = 0;
      for (int lag = 1; lag <= 60 && i + 1 < size; ++lag) {
        if (i - lag >= 0) ++lefts, left += like(i, i - lag);
        if (i + lag + 1 < size) ++rights, right += like(i, i + lag);
      }
      const bool whole = lefts == 60 && rights == 60;
      ASSERT_EQ(compared[i], whole ? 60 : lefts + rights) << i;
      ASSERT_EQ(alike[i], whole ? std::max(left, right) : left + right) << i;
      Doubles window;
      for (std::int64_t j = i - 8; j <= i + 8; ++j) window.push_back(x[std::clamp<std::int64_t>(j, 0, size - 1)]);
      std::ranges::sort(window);
      ASSERT_EQ(medians[i], window[8]) << i;
    }
  }
}

TYPED_TEST(AlikeIntervals, BadShapesThrow) {
  auto& context = this->context();
  Buffer<std::int32_t, TypeParam> alike(context, 2), compared(context, 2);
  Buffer<double, TypeParam> medians(context, 2);
  EXPECT_THROW_KIND(alike_pairs(context, from_host(context, Doubles{1}), 1.1, 3, alike, compared), ErrorKind::internal);
  EXPECT_THROW_KIND(this->pairs({1}, 1, 3), ErrorKind::internal);
  EXPECT_THROW_KIND(this->pairs({1}, 1.1, 0), ErrorKind::internal);
  EXPECT_THROW_KIND(running_medians(context, from_host(context, Doubles{1}), 1, medians), ErrorKind::internal);
  EXPECT_THROW_KIND(this->medians({1}, kMostMedianReach + 1), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
