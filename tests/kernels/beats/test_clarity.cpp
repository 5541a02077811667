#include "kernels/beats/clarity.h"

#include <algorithm>
#include <cmath>

#include "kernels/beats/fuse_leads.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/clamp.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

using Values = std::vector<float>;

template <class Context>
class ClarityTest : public OnBackend<Context> {
 protected:
  std::vector<BlockRest> rest_of(const Values& x, int block) {
    auto& context = this->context();
    Buffer<BlockRest, Context> rest(context, level_blocks(std::ssize(x), block));
    block_rest(context, from_host(context, x), block, rest);
    return to_host(context, rest);
  }
  Values noise_of(const std::vector<Clarity>& clarity, const NoiseRange& range) {
    auto& context = this->context();
    Buffer<float, Context> shares(context, std::ssize(clarity));
    noise_shares(context, from_host(context, clarity), range, shares);
    return to_host(context, shares);
  }
};
TYPED_TEST_SUITE(ClarityTest, Backends, BackendNames);

TYPED_TEST(ClarityTest, RestByHand) {
  Values x(64);
  for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(i * 37 % 64);  // 0 .. 63 in another order
  const auto rest = this->rest_of(x, 64);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].quarter, 16);
  EXPECT_EQ(rest[0].half, 32);
}

TYPED_TEST(ClarityTest, RestMatchesItsDefinition) {
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

TYPED_TEST(ClarityTest, ClarityByHand) {
  auto& context = this->context();
  Buffer<Clarity, TypeParam> clarity(context, 4);
  block_clarity(context, from_host(context, Values{8, 8, 8, 6}),
                from_host(context, std::vector<BlockRest>{{1, 2}, {2, 4}, {4, 8}, {0, 0}}), 1, clarity);
  const auto found = to_host(context, clarity);
  EXPECT_FLOAT_EQ(found[0].over_quarter, 8 / 1.5f);  // the median of 1 and 2
  EXPECT_FLOAT_EQ(found[1].over_quarter, 4);
  EXPECT_FLOAT_EQ(found[1].over_half, 2);
  EXPECT_FLOAT_EQ(found[3].over_quarter, 3);
  block_clarity(context, from_host(context, Values{8, 8, 8, 6}),
                from_host(context, std::vector<BlockRest>(4, BlockRest{0, 0})), 1, clarity);
  for (const auto& its : to_host(context, clarity)) EXPECT_EQ(its.over_half, 1e6f);  // a flat lead
}

TYPED_TEST(ClarityTest, NoiseByHand) {
  const auto shares = this->noise_of({{13, 1}, {100, 1}, {9, 1}, {1, 1}, {std::sqrt(13.0f * 9), 1}}, {13, 9});
  EXPECT_EQ((Values{shares.begin(), shares.begin() + 4}), (Values{0, 0, 1, 1}));
  EXPECT_NEAR(shares[4], 0.5, 1e-6);
  EXPECT_TRUE(this->noise_of({}, {13, 9}).empty());
  EXPECT_THROW(this->noise_of({{1, 1}}, {9, 9}), Error);
}

TYPED_TEST(ClarityTest, BlendByHand) {
  auto& context = this->context();
  Buffer<float, TypeParam> shares(context, 6);
  // Beats do not stand out of the second band, do by 2.5 and by more, far too clearly, and more than out of the first.
  blend_shares(context, from_host(context, std::vector<Clarity>(6, Clarity{1, 10})),
               from_host(context, std::vector<Clarity>{{1, 2}, {1, 2.5f}, {1, 9}, {1, 15}, {1, 12}, {1, 13}}),
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

TYPED_TEST(ClarityTest, LeadWeightsByHand) {
  auto& context = this->context();
  Buffer<float, TypeParam> weights(context, 5);
  const Values maxima{2, 2, 0.2f, 0, 2}, levels(5, 2.0f);
  const std::vector<Clarity> clarity{{1, 16}, {1, 25}, {1, 9}, {1, 9}, {1, 0.5f}};
  const auto on = [&](const auto& values) { return from_host(context, values); };
  const auto m = on(maxima), l = on(levels);
  const auto c = on(clarity);
  lead_weights(context, {m, l, c}, {}, 50, 10, weights);
  const auto found = to_host(context, weights);
  const Values expected{4, 0.005f, 0.003f, 0, 0.001f};  // beside a silent block the lead hardly counts
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
  const auto gap = on(std::vector<std::int64_t>{19});
  lead_weights(context, {m, l, c}, {gap, gap}, 50, 10, weights);  // one sample of block 1 is missing
  EXPECT_NEAR(to_host(context, weights)[0], 0.004, 1e-5);
  const auto clear = on(std::vector<Clarity>(5, {1, 100})), full = on(Values(5, 2.0f));
  for (const auto& [values, expected_weight] : {std::pair{2.0f, std::sqrt(30.0f)}, {0.4f, 0.5f * std::sqrt(30.0f)}}) {
    lead_weights(context, {on(Values(5, values)), full, clear}, {}, 50, 10, weights);
    for (const float weight : to_host(context, weights)) EXPECT_NEAR(weight, expected_weight, 1e-4);
  }

  auto shared = on(Values{1, 0, 3, 0});
  share_weights(context, shared, 2);
  EXPECT_EQ(to_host(context, shared), (Values{0.25f, 0, 0.75f, 0}));
}

TYPED_TEST(ClarityTest, FusedByHand) {
  auto& context = this->context();
  const auto level = from_host(context, Values{2, 2}), half = from_host(context, Values{0.5f, 0.5f}),
             all = from_host(context, Values{1, 1});
  const auto fused = [&](const std::vector<Values>& leads, const auto& weights) {
    auto sum = from_host(context, Values(leads[0].size(), 0.0f));
    for (const auto& lead : leads) add_lead(context, from_host(context, lead), 0, {level, weights, 3}, sum);
    finish_fused(context, sum);
    return to_host(context, sum);
  };
  const auto one = fused({{0, 1, 2, 4, 8}}, all);  // one lead is itself, in levels
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(one[i], (Values{0, 0.5f, 1, 2, 4})[i], 1e-5);
  const auto two = fused({{2, 2, 2e6f, 0, 0}, {2, 0, 0, 0, 2}}, half);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(two[i], (Values{1, 2.0f / 9, 0.4f, 0, 2.0f / 9})[i], 1e-4) << i;
  EXPECT_THROW(fused({{1}}, from_host(context, Values{1})), Error);
}

// Levels are 1 and 3 in blocks of 10 samples, whose middles are at 4.5 and 14.5.
TYPED_TEST(ClarityTest, LevelsAreOnLinesBetweenBlocks) {
  auto& context = this->context();
  const auto levels = from_host(context, Values{1, 3}), weights = from_host(context, Values{1, 1});
  auto sum = from_host(context, Values(20, 0.0f));
  add_lead(context, from_host(context, Values(20, 1.0f)), 0, {levels, weights, 10}, sum);
  finish_fused(context, sum);
  const auto found = to_host(context, sum);
  for (int i = 0; i < 20; ++i) EXPECT_NEAR(found[i], 1 / std::clamp(1 + 2 * (i - 4.5) / 10, 1.0, 3.0), 1e-5) << i;
}

TYPED_TEST(ClarityTest, NoiseOfLeadsLimitsThatOfAll) {
  auto& context = this->context();
  auto fused = from_host(context, Values{1, 1, 0.1f});
  limit_noise(context, from_host(context, Values{0, 1, 1, 1, 1, 1}),
              from_host(context, Values{0.75f, 0.5f, 0.5f, 0.25f, 0.5f, 0.5f}), fused);
  EXPECT_EQ(to_host(context, fused), (Values{0.25f, 1, 0.1f}));
}

TYPED_TEST(ClarityTest, PeaksAreThoseOfTheReferenceOrTheClearestLead) {
  auto& context = this->context();
  const auto centres = from_host(context, std::vector<std::int64_t>{5, 15, 29});
  const auto weights = from_host(context, Values{0.25f, 0.15f, 0.6f, 0.1f, 0.15f, 0.75f});  // [3][2]
  const auto peaks = from_host(context, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  Buffer<double, TypeParam> chosen(context, 3);
  choose_peaks(context, {centres, weights, 2, 10, 0}, peaks, chosen);
  EXPECT_EQ(to_host(context, chosen), (std::vector<double>{1, 8, 9}));
  EXPECT_THROW(choose_peaks(context, {centres, weights, 2, 10, 3}, peaks, chosen), Error);
}

TYPED_TEST(ClarityTest, SharpnessIsInLevelsAndWeighted) {
  auto& context = this->context();
  const auto at = from_host(context, std::vector<std::int64_t>{0, 9, 10, 29});
  const auto levels = from_host(context, Values{2, 4}), weights = from_host(context, Values{1, 0.5f});
  auto sum = from_host(context, Values{0, 0, 0, 1});
  add_sharpness(context, at, from_host(context, Values{2, 4, 8, 16}), {levels, weights, 10}, sum);
  EXPECT_EQ(to_host(context, sum), (Values{1, 2, 1, 3}));
}

TYPED_TEST(ClarityTest, ClampsSamples) {
  auto& context = this->context();
  Buffer<float, TypeParam> clamped(context, 5);
  clamp(context, from_host(context, Values{-3, -1, 0, 2, 9}), -1, 2, clamped);
  EXPECT_EQ(to_host(context, clamped), (Values{-1, -1, 0, 2, 2}));
  EXPECT_THROW(clamp(context, from_host(context, Values{1}), 0, 1, clamped), Error);
}

}  // namespace
}  // namespace beatscan
