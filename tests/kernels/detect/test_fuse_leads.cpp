#include "kernels/detect/fuse_leads.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

using Values = std::vector<float>;
using Places = std::vector<std::int64_t>;

template <class Context>
class FuseLeadsTest : public OnBackend<Context> {
 protected:
  template <class T>
  Buffer<T, Context> on(const std::vector<T>& values) {
    return from_host(this->context(), values);
  }
  Values weights_of(const Values& maxima, const Values& levels, const std::vector<Snr>& snr) {
    Buffer<float, Context> weights(this->context(), std::ssize(maxima));
    lead_weights(this->context(), {on(maxima), on(levels), on(snr)}, weights);
    return to_host(this->context(), weights);
  }
  // Fuses leads of one level and weight with blocks of 3 samples; silence is that of the first lead.
  Values fused(const std::vector<Values>& leads, float level, float weight, const Silence& silence = {}) {
    auto& context = this->context();
    const Values blocks((leads[0].size() + 2) / 3, 1);
    Values levels(blocks), weights(blocks);
    std::ranges::fill(levels, level);
    std::ranges::fill(weights, weight);
    const auto its_levels = on(levels), its_weights = on(weights);
    auto sum = on(Values(leads[0].size(), 0.0f));
    auto shares = on(Values(silence.reach > 0 ? leads[0].size() : 0, 0.0f));
    for (std::size_t l = 0; l < leads.size(); ++l)
      add_lead(context, on(leads[l]), 0, {its_levels, its_weights, 3, l == 0 ? silence : Silence{}}, sum, shares);
    finish_fused(context, sum, shares);
    return to_host(context, sum);
  }
};
TYPED_TEST_SUITE(FuseLeadsTest, Backends, BackendNames);

TYPED_TEST(FuseLeadsTest, LeadWeightsByHand) {
  const auto found = this->weights_of({2, 2, 0.2f, 0, 2}, Values(5, 2), {{1, 16}, {1, 25}, {1, 9}, {1, 9}, {1, 0.5f}});
  const Values expected{4, 0.005f, 0.003f, 0, 1};  // next to a block that hardly moves the lead hardly counts
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
  Buffer<float, TypeParam> fewer(this->context(), 1);
  lead_weights(this->context(), {this->on(Values{2}), this->on(Values{2}), this->on(std::vector<Snr>{{1, 9}}), 0.5f},
               fewer);
  EXPECT_NEAR(to_host(this->context(), fewer)[0], 1.5, 1e-6);
  for (const auto& [maximum, expected_weight] : {std::pair{2.0f, std::sqrt(30.0f)}, {0.4f, 0.5f * std::sqrt(30.0f)}})
    for (const float weight : this->weights_of(Values(5, maximum), Values(5, 2), std::vector<Snr>(5, {1, 100})))
      EXPECT_NEAR(weight, expected_weight, 1e-4);
}

TYPED_TEST(FuseLeadsTest, NoisyLeadsCountTogetherAsOne) {
  auto& context = this->context();
  const auto lowered = [&](const Values& noise, const Values& weights, std::int64_t blocks) {
    auto its = this->on(weights);
    count_noise_once(context, this->on(noise), blocks, its);
    return to_host(context, its);
  };
  EXPECT_EQ(lowered({1, 0, 1, 0.5f}, {1, 2, 3, 4}, 2), (Values{1, 2, 3, 4})) << "two leads stay as they are";
  const Values noise{0, 0.5f, 1, 0.5f, 1, 0, 1, 0}, weights(8, 2);  // four leads, two blocks
  const auto found = lowered(noise, weights, 2);
  const Values expected{2, 2, 1, 2, 1, 2, 1, 2};  // in the second block the others have 0.5 and 1 together
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
  EXPECT_NEAR(lowered({0.5f, 1, 1}, {4, 1, 1}, 1)[0], 4 * (0.5f + 0.5f / 2), 1e-6) << "partly noisy";
  EXPECT_THROW(lowered({1, 1}, {1}, 1), Error);
}

TYPED_TEST(FuseLeadsTest, SharesAddUpToOne) {
  auto shared = this->on(Values{1, 0, 3, 0});
  share_weights(this->context(), shared, 2);
  EXPECT_EQ(to_host(this->context(), shared), (Values{0.25f, 0, 0.75f, 0}));
  auto none = this->on(Values{});
  share_weights(this->context(), none, 0);  // no candidates
}

TYPED_TEST(FuseLeadsTest, StillLeadsCountAsMuchAsTheOthersAreNoisy) {
  auto& context = this->context();
  Buffer<float, TypeParam> heard(context, 6);
  still_leads(context, this->on(Values{0, 1, 1, 0, 0.5f, 0}), this->on(Values{0.5f, 1, 0.25f, 0, 0.25f, 0}), 2, heard);
  const auto found = to_host(context, heard);                            // [3][2]
  const Values expected{0.75f, 1, 0.125f / 0.75f, 1, 0.25f / 0.75f, 1};  // 1 where no other lead counts, too
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
  EXPECT_THROW(still_leads(context, this->on(Values{0}), this->on(Values{1, 1}), 1, heard), Error);
}

TYPED_TEST(FuseLeadsTest, FusedByHand) {
  const auto one = this->fused({{0, 1, 2, 4, 8}}, 2, 1);  // one lead is itself, in levels
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(one[i], (Values{0, 0.5f, 1, 2, 4})[i], 1e-5);
  const auto two = this->fused({{2, 2, 2e6f, 0, 0}, {2, 0, 0, 0, 2}}, 2, 0.5f);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(two[i], (Values{1, 2.0f / 9, 0.4f, 0, 2.0f / 9})[i], 1e-4) << i;
  EXPECT_THROW(
      {
        auto sum = this->on(Values{0});
        add_lead(this->context(), this->on(Values{1}), 0, {this->on(Values{1}), this->on(Values{1, 1}), 3}, sum, {});
      },
      Error);
}

// The first lead has no values from sample 10 to 19. Within 4 samples of them, the nearer they are, the less it counts.
TYPED_TEST(FuseLeadsTest, WhereALeadIsSilentTheOtherDecides) {
  const auto first = this->on(Places{10}), last = this->on(Places{19});
  const Silence silence{.off = {first, last}, .still = {}, .heard_still = {}, .reach = 4};
  const auto found = this->fused({Values(30, 0), Values(30, 1)}, 1, 0.5f, silence);
  for (const int i : {0, 6, 23, 29}) EXPECT_NEAR(found[i], 2.0f / 9, 1e-5) << i;  // a wave of one lead in two
  for (int i = 10; i < 20; ++i) EXPECT_NEAR(found[i], 1, 4e-3) << i;              // a beat of the only lead
  for (const int i : {8, 21}) {                                                   // the silent lead counts half
    const float sum = 1 / 1.4f / 1.5f;
    EXPECT_NEAR(found[i], 0.4f * sum / (1 - sum), 1e-5) << i;
  }
}

// A still lead is off where the other is clean. Where the other is noisy, it may be a clean, isoelectric lead.
TYPED_TEST(FuseLeadsTest, AStillLeadCountsWhereTheOtherIsNoisy) {
  const auto first = this->on(Places{0}), last = this->on(Places{29});
  for (const auto& [heard, expected] : {std::pair{0.0f, 1.0f}, {1.0f, 2.0f / 9}}) {
    const auto heard_still = this->on(Values(10, heard));
    const Silence silence{.off = {}, .still = {first, last}, .heard_still = heard_still, .reach = 4};
    for (const float value : this->fused({Values(30, 0), Values(30, 1)}, 1, 0.5f, silence))
      EXPECT_NEAR(value, expected, 4e-3);
  }
}

// Leads that are all silent decide together.
TYPED_TEST(FuseLeadsTest, SilenceOfAllLeads) {
  const auto first = this->on(Places{0}), last = this->on(Places{29});
  const Silence silence{.off = {first, last}, .still = {}, .heard_still = {}, .reach = 4};
  for (const float value : this->fused({Values(30, 2)}, 2, 1, silence)) EXPECT_NEAR(value, 1, 1e-5);
}

// Levels are 1 and 3 in blocks of 10 samples, whose middles are at 4.5 and 14.5.
TYPED_TEST(FuseLeadsTest, LevelsAreOnLinesBetweenBlocks) {
  auto& context = this->context();
  const auto levels = this->on(Values{1, 3}), weights = this->on(Values{1, 1});
  auto sum = this->on(Values(20, 0.0f));
  add_lead(context, this->on(Values(20, 1.0f)), 0, {levels, weights, 10}, sum, {});
  finish_fused(context, sum, {});
  const auto found = to_host(context, sum);
  for (int i = 0; i < 20; ++i) EXPECT_NEAR(found[i], 1 / std::clamp(1 + 2 * (i - 4.5) / 10, 1.0, 3.0), 1e-5) << i;
}

TYPED_TEST(FuseLeadsTest, NoiseOfLeadsLimitsThatOfAll) {
  auto fused = this->on(Values{1, 1, 0.1f});
  limit_noise(this->context(), this->on(Values{0, 1, 1, 1, 1, 1}),
              this->on(Values{0.75f, 0.5f, 0.5f, 0.25f, 0.5f, 0.5f}), fused);
  EXPECT_EQ(to_host(this->context(), fused), (Values{0.25f, 1, 0.1f}));
}

TYPED_TEST(FuseLeadsTest, WeightsAtCandidates) {
  const auto first = this->on(Places{12}), last = this->on(Places{13});
  Buffer<float, TypeParam> found(this->context(), 4);
  weights_at(this->context(), this->on(Places{0, 11, 12, 29}),
             {this->on(Values{1, 1}), this->on(Values{1, 0.5f}), 10, {{first, last}, {}, {}, 2}}, found);
  const auto weights = to_host(this->context(), found);
  const Values expected{1, 0.25f, 0.0005f, 0.5f};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(weights[i], expected[i], 1e-6) << i;
}

TYPED_TEST(FuseLeadsTest, PeaksAreThoseOfTheReferenceOrTheClearestLead) {
  auto& context = this->context();
  const auto weights = this->on(Values{0.25f, 0.15f, 0.15f, 0.6f, 0.1f, 0.1f, 0.15f, 0.75f, 0.75f});  // [3][3]
  const auto peaks = this->on(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}),
             later = this->on(std::vector<double>{0, 0.25, -0.5});
  const auto at = this->on(Places{2, 7, 9});
  Buffer<double, TypeParam> chosen(context, 3);
  choose_peaks(context, {at, 20, weights, later, 0}, peaks, chosen);
  EXPECT_EQ(to_host(context, chosen), (std::vector<double>{1, 8, 9.5})) << "8.5 is nearer to the next candidate";
  EXPECT_THROW(choose_peaks(context, {at, 20, weights, later, 3}, peaks, chosen), Error);
}

// A delay that is taken off moves no R peak out of the recording.
TYPED_TEST(FuseLeadsTest, PeaksStayInTheRecording) {
  auto& context = this->context();
  const auto weights = this->on(Values{0, 0, 1, 1});
  const auto at = this->on(Places{1, 18});
  for (const auto& [later, expected] :
       {std::pair{5.0, std::vector<double>{0, 13}}, {-5.0, std::vector<double>{6, 19}}}) {
    Buffer<double, TypeParam> chosen(context, 2);
    choose_peaks(context, {this->on(Places{1, 18}), 20, weights, this->on(std::vector<double>{0, later}), 0},
                 this->on(std::vector<double>{9, 9, 1, 18}), chosen);
    EXPECT_EQ(to_host(context, chosen), expected);
  }
}

TYPED_TEST(FuseLeadsTest, SharpnessIsInLevelsAndWeighted) {
  const auto at = this->on(Places{0, 9, 10, 29});
  const auto levels = this->on(Values{2, 4}), sharpness = this->on(Values{2, 4, 8, 16}),
             weights = this->on(Values{1, 1, 0.5f, 0.5f});
  auto sum = this->on(Values{0, 0, 0, 1});
  add_sharpness(this->context(), at, {sharpness, weights, levels, 10}, sum);
  EXPECT_EQ(to_host(this->context(), sum), (Values{1, 2, 1, 3}));
}

}  // namespace
}  // namespace beatscan
