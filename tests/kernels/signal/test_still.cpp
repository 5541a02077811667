#include "kernels/signal/parts.h"

#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

using Places = std::vector<std::int64_t>;

struct StillStretches {
  Places firsts, lasts;
  bool operator==(const StillStretches&) const = default;
};

StillStretches expected_stretches(const std::vector<float>& x, std::int64_t least) {
  StillStretches found;
  for (std::int64_t first = 0, i = 1; i <= std::ssize(x); ++i) {
    if (i < std::ssize(x) && x[i] == x[first]) continue;
    if (i - first >= least) found.firsts.push_back(first), found.lasts.push_back(i - 1);
    first = i;
  }
  return found;
}

template <class Context>
class StillTest : public OnBackend<Context> {
 protected:
  StillStretches stretches(const std::vector<float>& x, std::int64_t least) {
    auto& context = this->context();
    const std::vector<std::uint32_t> none(static_cast<std::size_t>(words_for(std::ssize(x))));
    auto firsts = from_host(context, none), lasts = from_host(context, none);
    mark_still(context, from_host(context, x), least, firsts, lasts);
    return {to_host(context, positions(context, firsts, Pick::every)),
            to_host(context, positions(context, lasts, Pick::every))};
  }
};
TYPED_TEST_SUITE(StillTest, Backends, BackendNames);

TYPED_TEST(StillTest, ByHand) {
  EXPECT_EQ(this->stretches({1, 1, 1, 2, 3, 3, 4, 4, 4, 4}, 3), (StillStretches{{0, 6}, {2, 9}}));
  EXPECT_EQ(this->stretches({1, 1, 1, 2, 3, 3, 4, 4, 4, 4}, 4), (StillStretches{{6}, {9}}));
  EXPECT_EQ(this->stretches({5, 5}, 2), (StillStretches{{0}, {1}}));
  EXPECT_EQ(this->stretches({5, 5}, 3), (StillStretches{}));
  EXPECT_EQ(this->stretches({}, 2), (StillStretches{}));
}

// Around a word of 32 bits and a block of threads, with stretches of each length at each place.
TYPED_TEST(StillTest, MatchesItsDefinition) {
  for (const std::int64_t n : {1, 31, 32, 33, 255, 256, 257, 1000}) {
    std::vector<float> x(n);
    for (std::int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i * i / 29 % 7 / 2);
    for (const std::int64_t least : {2, 3, 5, 40})
      EXPECT_EQ(this->stretches(x, least), expected_stretches(x, least)) << n << " " << least;
  }
  EXPECT_EQ(this->stretches(std::vector<float>(100000, 1), 90), (StillStretches{{0}, {99999}}));
}

TYPED_TEST(StillTest, RefusesABadShape) {
  auto& context = this->context();
  auto words = from_host(context, std::vector<std::uint32_t>{0});
  const auto x = from_host(context, std::vector<float>(33, 1));
  EXPECT_THROW(mark_still(context, x, 2, words, words), Error);
  EXPECT_THROW(mark_still(context, from_host(context, std::vector<float>{1}), 1, words, words), Error);
}

}  // namespace
}  // namespace beatscan
