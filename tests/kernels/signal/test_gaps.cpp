#include "kernels/signal/gaps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

struct Gap {
  std::int64_t first, last;
};

std::vector<Gap> gaps_of(const std::vector<float>& x) {
  std::vector<Gap> gaps;
  for (std::int64_t i = 0; i < std::ssize(x); ++i) {
    if (!std::isnan(x[i])) continue;
    if (gaps.empty() || gaps.back().last != i - 1) gaps.push_back({i, i});
    gaps.back().last = i;
  }
  return gaps;
}

std::vector<float> expected_bridges(std::vector<float> x) {
  for (const auto [first, last] : gaps_of(x)) {
    const bool at_start = first == 0, at_end = last + 1 == std::ssize(x);
    const float left = at_start ? x[last + 1] : x[first - 1], right = at_end ? left : x[last + 1];
    for (std::int64_t i = first; i <= last; ++i) {
      const float part = static_cast<float>(i - first + 1) / static_cast<float>(last - first + 2);
      x[i] = left + part * (right - left);
    }
  }
  return x;
}

template <class Context>
class Gaps : public OnBackend<Context> {
 protected:
  std::vector<std::uint32_t> missing(const std::vector<float>& x) {
    const auto device_x = from_host(this->context(), x);
    auto words = from_host(this->context(), std::vector<std::uint32_t>((x.size() + 31) / 32, ~0u));
    mark_missing(this->context(), device_x, words);
    return to_host(this->context(), words);
  }
  std::vector<float> bridged(const std::vector<float>& x) {
    std::vector<std::int64_t> firsts, lasts;
    for (const auto [first, last] : gaps_of(x)) {
      firsts.push_back(first);
      lasts.push_back(last);
    }
    auto device_x = from_host(this->context(), x);
    const auto device_firsts = from_host(this->context(), firsts), device_lasts = from_host(this->context(), lasts);
    bridge_gaps(this->context(), device_x, device_x, device_firsts, device_lasts);
    return to_host(this->context(), device_x);
  }
  std::int64_t count(const std::vector<float>& x) {
    return count_missing(this->context(), from_host(this->context(), x));
  }
};
TYPED_TEST_SUITE(Gaps, Backends, BackendNames);

TYPED_TEST(Gaps, WorkedByHand) {
  const std::vector<float> x{kMissing, 1, kMissing, kMissing, kMissing, 5, kMissing, 5, kMissing, kMissing};
  EXPECT_EQ(this->missing(x), std::vector<std::uint32_t>{0b11'0101'1101});
  EXPECT_EQ(this->bridged(x), (std::vector<float>{1, 1, 2, 3, 4, 5, 5, 5, 5, 5}));
  EXPECT_EQ(this->count(x), 7);
}

TYPED_TEST(Gaps, OfNothing) {
  EXPECT_EQ(this->missing({}), std::vector<std::uint32_t>{});
  EXPECT_EQ(this->count({}), 0);
  EXPECT_EQ(this->bridged({}), std::vector<float>{});
  EXPECT_EQ(this->bridged({3, -2}), (std::vector<float>{3, -2})) << "no gap";
  EXPECT_EQ(this->bridged({kMissing, kMissing}), (std::vector<float>{0, 0})) << "no neighbour";
}

// A bridge ends at the samples of the signal as it was, whichever gap is bridged first.
TYPED_TEST(Gaps, MayTouchEachOther) {
  auto& context = this->context();
  const auto beside = from_host(context, std::vector<float>{0, 8, 8, 8, 2, 2, 2});
  auto x = from_host(context, std::vector<float>{0, 8, 8, 8, 2, 2, 2});
  bridge_gaps(context, beside, x, from_host(context, std::vector<std::int64_t>{1, 4}),
              from_host(context, std::vector<std::int64_t>{3, 6}));
  EXPECT_EQ(to_host(context, x), (std::vector<float>{0, 0.5f, 1, 1.5f, 8, 8, 8}));
}

TYPED_TEST(Gaps, RefusesBadShapes) {
  auto& context = this->context();
  auto x = from_host(context, std::vector<float>{1, kMissing, 3, 4});
  auto words = from_host(context, std::vector<std::uint32_t>{7, 7});
  expect_error(ErrorKind::internal, "mark_missing", [&] { mark_missing(context, x, words); });
  expect_error(ErrorKind::internal, "mark_missing", [&] { mark_missing(context, x, words.span().first(0)); });
  EXPECT_EQ(to_host(context, words), (std::vector<std::uint32_t>{7, 7}));
  const auto firsts = from_host(context, std::vector<std::int64_t>{1}),
             none = from_host(context, std::vector<std::int64_t>{});
  expect_error(ErrorKind::internal, "bridge_gaps", [&] { bridge_gaps(context, x, x, firsts, none); });
  expect_error(ErrorKind::internal, "bridge_gaps", [&] { bridge_gaps(context, x.span().first(3), x, firsts, firsts); });
}

TYPED_TEST(Gaps, MissingIsNaNOfEitherSignAndNothingElse) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(this->missing({kMissing, -kMissing, kInfinity, -kInfinity, 0, -0.0f, 1e-45f, 3e38f}),
            std::vector<std::uint32_t>{0b11});
}

// Gaps are at the middle of 1,537 samples and at the ends. The bridges must have the same bits on every back end.
TYPED_TEST(Gaps, MatchesDefinitionOnRandomSignals) {
  for (const std::int64_t n : sizes_around(256))
    for (const unsigned sixteenths : {0u, 1u, 8u, 15u}) {
      const std::uint64_t seed = n * 16 + sixteenths;
      SCOPED_TRACE(shape_and_seed("n", n, seed));
      auto x = random_signal(n, seed, 1000);
      std::mt19937_64 random(seed);
      for (std::int64_t i = 0; i < n; ++i)
        if (i != n / 2 && random() % 16 < sixteenths) x[i] = kMissing;
      std::vector<bool> is_missing;
      for (const float value : x) is_missing.push_back(std::isnan(value));
      EXPECT_EQ(this->missing(x), words_of(is_missing));
      EXPECT_EQ(this->count(x), std::ranges::count(is_missing, true));
      EXPECT_EQ(bits_of(this->bridged(x)), bits_of(expected_bridges(x)));
    }
}

TYPED_TEST(Gaps, Alternating) {
  auto x = random_signal(100'001, 11, 99);
  for (std::size_t i = 1; i < x.size(); i += 2) x[i] = kMissing;
  const auto bridged = this->bridged(x);
  EXPECT_EQ(bits_of(bridged), bits_of(expected_bridges(x)));
  EXPECT_EQ(bridged[1], (x[0] + x[2]) / 2);
}

// The gap is much longer than one block's threads, and long enough for several ranges of the CPU.
TYPED_TEST(Gaps, OneLongGap) {
  std::vector<float> x(300'000, kMissing);
  x.front() = -7;
  x.back() = 11;
  EXPECT_EQ(bits_of(this->bridged(x)), bits_of(expected_bridges(x)));
  EXPECT_EQ(this->missing(x).front(), ~1u);
  EXPECT_EQ(this->count(x), 299'998);
  x.front() = kMissing;
  EXPECT_EQ(this->bridged(x), std::vector<float>(x.size(), 11)) << "a gap at an end takes its one neighbour's value";
  x.front() = -7;
  x.back() = kMissing;
  EXPECT_EQ(this->bridged(x), std::vector<float>(x.size(), -7));
}

// Property: a bridge stays within its ends, up to the rounding of one addition.
TYPED_TEST(Gaps, BridgesAddNoExtremes) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    auto x = random_signal(5000, seed, 300);
    std::mt19937_64 random(seed);
    for (std::size_t i = 1; i + 1 < x.size(); ++i)
      if (random() % 4) x[i] = kMissing;
    const auto bridged = this->bridged(x);
    for (const auto [first, last] : gaps_of(x))
      for (std::int64_t i = first; i <= last; ++i) {
        const auto [low, high] = std::minmax(x[first - 1], x[last + 1]);
        EXPECT_GE(bridged[i], low - 1e-4f);
        EXPECT_LE(bridged[i], high + 1e-4f);
      }
  }
}

}  // namespace
}  // namespace beatscan
