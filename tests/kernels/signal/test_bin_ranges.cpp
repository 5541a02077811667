#include "kernels/signal/peaks.h"

#include <algorithm>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;

std::int64_t bins_of(std::int64_t samples, std::int64_t width) { return (samples + width - 1) / width; }

template <class Context>
class BinRanges : public OnBackend<Context> {
 protected:
  // Returns the extremes of the buffer from sample `first` on. If `first` is not 0, the memory is not aligned for wide
  // reads.
  Floats extremes(const Floats& x, std::int64_t width, std::int64_t first = 0) {
    auto& context = this->context();
    const auto signal = from_host(context, x);
    Buffer<float, Context> found(context, 2 * bins_of(std::ssize(x) - first, width));
    bin_ranges(context, signal.span().subspan(first), width, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(BinRanges, Backends, BackendNames);

TYPED_TEST(BinRanges, ByHand) {
  const Floats x = {1, 3, -2, 0.5f, 7};
  EXPECT_EQ(this->extremes(x, 1), (Floats{1, 1, 3, 3, -2, -2, 0.5f, 0.5f, 7, 7}));
  EXPECT_EQ(this->extremes(x, 2), (Floats{1, 3, -2, 0.5f, 7, 7}));
  EXPECT_EQ(this->extremes(x, 4), (Floats{-2, 3, 7, 7}));
  EXPECT_EQ(this->extremes(x, 8), (Floats{-2, 7}));
  EXPECT_EQ(this->extremes({-3}, 1024), (Floats{-3, -3}));
}

TYPED_TEST(BinRanges, MatchesItsDefinition) {
  for (const std::int64_t width : {1, 2, 4, 8, 32, 64, 128, 256, 4096})
    for (const std::int64_t n : sizes_around(1024)) {
      SCOPED_TRACE(testing::Message() << "width=" << width << " n=" << n);
      auto x = random_signal(n, static_cast<std::uint64_t>(n + width), 2001);
      for (const std::int64_t first : {0, 1, 2, 3}) {
        if (first >= n) continue;
        const auto found = this->extremes(x, width, first);
        for (std::int64_t bin = 0; bin < bins_of(n - first, width); ++bin) {
          const auto from = x.begin() + first + bin * width;
          const auto [least, greatest] =
              std::minmax_element(from, from + std::min<std::int64_t>(width, x.end() - from));
          ASSERT_EQ(found[2 * bin], *least) << "bin " << bin << ", from sample " << first;
          ASSERT_EQ(found[2 * bin + 1], *greatest) << "bin " << bin << ", from sample " << first;
        }
      }
    }
}

// Property: a bin of twice the width has the extremes of its two halves.
TYPED_TEST(BinRanges, OfTwiceTheWidthAreThoseOfPairs) {
  const auto x = random_signal(100'003, 5, 10'001);
  for (const std::int64_t width : {1, 2, 16, 64, 512}) {
    const auto fine = this->extremes(x, width), coarse = this->extremes(x, 2 * width);
    for (std::size_t bin = 0; bin < coarse.size() / 2; ++bin) {
      const std::size_t left = 2 * bin, right = std::min(2 * bin + 1, fine.size() / 2 - 1);
      ASSERT_EQ(coarse[2 * bin], std::min(fine[2 * left], fine[2 * right])) << width;
      ASSERT_EQ(coarse[2 * bin + 1], std::max(fine[2 * left + 1], fine[2 * right + 1])) << width;
    }
  }
}

TYPED_TEST(BinRanges, RefusesBadShapes) {
  auto& context = this->context();
  const auto signal = from_host(context, Floats(10, 1));
  Buffer<float, TypeParam> six(context, 6);
  EXPECT_NO_THROW(bin_ranges(context, signal, 4, six));
  EXPECT_THROW_KIND(bin_ranges(context, signal, 2, six), ErrorKind::internal);
  EXPECT_THROW_KIND(bin_ranges(context, signal, 3, six), ErrorKind::internal) << "no power of two";
  EXPECT_THROW_KIND(bin_ranges(context, signal, 0, six), ErrorKind::internal);
  EXPECT_THROW_KIND(bin_ranges(context, {}, 4, six.span().first(0)), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
