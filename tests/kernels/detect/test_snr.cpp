#include "kernels/detect/noise.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "kernels/signal/parts.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

using Values = std::vector<float>;

template <class Context>
class SnrTest : public OnBackend<Context> {
 protected:
  std::vector<BlockRest> rest_of(const Values& x, int block, std::int64_t first = 0, const Gaps& off = {}) {
    auto& context = this->context();
    Buffer<BlockRest, Context> rest(context, level_blocks(std::ssize(x), block));
    block_rest(context, {from_host(context, x), first, off}, block, rest);
    return to_host(context, rest);
  }
  Values noise_of(const std::vector<Snr>& snr, const NoiseRange& range) {
    auto& context = this->context();
    Buffer<float, Context> shares(context, std::ssize(snr));
    noise_shares(context, from_host(context, snr), range, shares);
    return to_host(context, shares);
  }
};
TYPED_TEST_SUITE(SnrTest, Backends, BackendNames);

TYPED_TEST(SnrTest, RestByHand) {
  Values x(64);
  for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(i * 37 % 64);  // 0 .. 63 in another order
  const auto rest = this->rest_of(x, 64);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].quarter, 16);
  EXPECT_EQ(rest[0].half, 32);
}

// The block has the samples 100 to 163. The first 24 and the last 16 have no signal, then one sample more.
TYPED_TEST(SnrTest, ARestIsOfWhatHasSignal) {
  using Places = std::vector<std::int64_t>;
  Values x(64);
  for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(i);
  const auto firsts = from_host(this->context(), Places{90, 148}), lasts = from_host(this->context(), Places{123, 200}),
             more = from_host(this->context(), Places{90, 139});
  const auto rest = this->rest_of(x, 64, 100, {firsts, lasts});
  EXPECT_EQ(rest[0].quarter, 24 + 6);  // of 24 samples
  EXPECT_EQ(rest[0].half, 24 + 12);
  EXPECT_EQ(this->rest_of(x, 64, 100, {more, lasts})[0].half, 0) << "15 samples are too few";
}

TYPED_TEST(SnrTest, RestMatchesItsDefinition) {
  for (const std::int64_t n : {1, 63, 64, 65, 720, 1000, 3 * 720 + 359, 3 * 720 + 360})
    for (const int block : {1, 50, 720}) {
      const auto x = random_signal(n, n, 50);
      const auto found = this->rest_of(x, block);
      const std::int64_t blocks = level_blocks(n, block);
      for (std::int64_t b = 0; b < blocks; ++b) {
        const std::int64_t first = b * block, last = b + 1 < blocks ? first + block : n;
        Values some;
        for (std::int64_t j = 0; j < 64; ++j) some.push_back(x[first + j * (last - first) / 64]);
        std::ranges::sort(some);
        ASSERT_EQ(found[b].quarter, some[16]) << "n=" << n << " block=" << block << " b=" << b;
        ASSERT_EQ(found[b].half, some[32]);
      }
    }
}

TYPED_TEST(SnrTest, SnrByHand) {
  auto& context = this->context();
  Buffer<Snr, TypeParam> snr(context, 4);
  block_snr(context, from_host(context, Values{8, 8, 8, 6}),
            from_host(context, std::vector<BlockRest>{{1, 2}, {2, 4}, {4, 8}, {0, 0}}), 1, snr);
  const auto found = to_host(context, snr);
  EXPECT_FLOAT_EQ(found[0].over_quarter, 8 / 1.5f);  // the median of 1 and 2
  EXPECT_FLOAT_EQ(found[1].over_quarter, 4);
  EXPECT_FLOAT_EQ(found[1].over_half, 2);
  EXPECT_FLOAT_EQ(found[3].over_quarter, 1.5f);  // a noise floor of 0 does not count
  block_snr(context, from_host(context, Values{8, 8, 8, 6}),
            from_host(context, std::vector<BlockRest>(4, BlockRest{0, 0})), 1, snr);
  for (const auto& its : to_host(context, snr)) EXPECT_EQ(its.over_half, 1e6f);  // a flat lead
}

TYPED_TEST(SnrTest, NoiseByHand) {
  const auto shares = this->noise_of({{13, 1}, {100, 1}, {9, 1}, {1, 1}, {std::sqrt(13.0f * 9), 1}}, {13, 9});
  EXPECT_EQ((Values{shares.begin(), shares.begin() + 4}), (Values{0, 0, 1, 1}));
  EXPECT_NEAR(shares[4], 0.5, 1e-6);
  EXPECT_TRUE(this->noise_of({}, {13, 9}).empty());
  EXPECT_THROW(this->noise_of({{1, 1}}, {9, 9}), Error);
}

TYPED_TEST(SnrTest, BlendByHand) {
  auto& context = this->context();
  Buffer<float, TypeParam> shares(context, 6);
  // Beats do not stand out of the second band, do by 2.5 and by more, far too clearly, and more than out of the first.
  blend_shares(context, from_host(context, std::vector<Snr>(6, Snr{1, 10})),
               from_host(context, std::vector<Snr>{{1, 2}, {1, 2.5f}, {1, 9}, {1, 15}, {1, 12}, {1, 13}}),
               from_host(context, Values{1, 1, 0.5f, 1, 1, 1}), shares);
  const auto found = to_host(context, shares);
  const Values expected{0, 0.5f, 0.5f, 0, 0.5f, 0};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(found[i], expected[i], 1e-5) << i;

  auto x = from_host(context, Values{4, 4, 4, 0});
  blend_bands(context, x, 2, from_host(context, Values{9, 9, 9, 9}), {from_host(context, Values{1, 1, 2}), 2},
              {from_host(context, Values{1, 1, 1}), 2}, from_host(context, Values{1, 0, 0.5f}));
  const auto blended = to_host(context, x);  // samples 2 .. 5, of the blocks 1 and 2
  EXPECT_EQ(blended[0], 4);
  EXPECT_EQ(blended[1], 4);
  EXPECT_NEAR(blended[2], 2 * std::sqrt(2.0f) * 3, 1e-4);
  EXPECT_NEAR(blended[3], 0, 1e-4);
}

TYPED_TEST(SnrTest, ClampsSamples) {
  auto& context = this->context();
  Buffer<float, TypeParam> clamped(context, 5);
  clamp(context, from_host(context, Values{-3, -1, 0, 2, 9}), -1, 2, clamped);
  EXPECT_EQ(to_host(context, clamped), (Values{-1, -1, 0, 2, 2}));
  EXPECT_THROW(clamp(context, from_host(context, Values{1}), 0, 1, clamped), Error);
}

}  // namespace
}  // namespace beatscan
