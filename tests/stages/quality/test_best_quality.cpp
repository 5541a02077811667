// Tests the quality that several leads have together.
#include <gtest/gtest.h>

#include "kernels/runtime/error.h"
#include "stages/quality/quality.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using CountingLeads = std::vector<std::uint8_t>;
using QualityBlocks = std::vector<Quality>;

TEST(BestQuality, IsThatOfTheBestLeadInEachBlock) {
  const std::vector<SignalQuality> leads = {
      {{Quality::good, Quality::noisy, Quality::flat, Quality::missing, Quality::clipped}, 50, {0.03, 0.5, 0.9}},
      {{Quality::flat, Quality::clipped, Quality::missing, Quality::missing, Quality::noisy}, 50, {0.10, 0.7, 0.2}},
      {{Quality::good, Quality::good, Quality::good, Quality::good, Quality::good}, 50, {1, 0, 0}}};
  const auto best = best_quality(leads, CountingLeads{1, 1, 0});
  EXPECT_EQ(best.blocks,
            (QualityBlocks{Quality::good, Quality::noisy, Quality::flat, Quality::missing, Quality::noisy}));
  EXPECT_EQ(best.block_samples, 50);
  EXPECT_EQ(best.nature.qrs_share, 0.10) << "the lead that is most like an ECG speaks";
  EXPECT_EQ(best.nature.two_levels, 0.5);
  EXPECT_EQ(best.nature.rests_at_end, 0.2);
  EXPECT_EQ(best_quality(leads, CountingLeads{0, 0, 1}).blocks, QualityBlocks(5, Quality::good));
  EXPECT_EQ(best_quality(leads, CountingLeads{0, 1, 0}).blocks, leads[1].blocks);
  EXPECT_EQ(best_quality(leads, CountingLeads{1, 1, 1}).blocks, QualityBlocks(5, Quality::good));
}

// Blocks have 10 samples. The hum of the first lead covers blocks 1 and 2, and touches block 3.
TEST(MarkHum, ChangesGoodBlocksWhereNoLeadIsBetter) {
  const auto good = Quality::good, noisy = Quality::noisy, flat = Quality::flat;
  std::vector<SignalQuality> leads = {{{good, good, flat, good, good}, 10}, {{good, noisy, noisy, good, good}, 10}};
  SignalQuality best{{good, good, noisy, good, good}, 10};
  mark_hum(best, leads, std::vector<std::vector<Stretch>>{{{8, 32}}, {}});
  EXPECT_EQ(leads[0].blocks, (QualityBlocks{good, noisy, flat, good, good}));
  EXPECT_EQ(leads[1].blocks, (QualityBlocks{good, noisy, noisy, good, good}));
  EXPECT_EQ(best.blocks, (QualityBlocks{good, noisy, noisy, good, good}));
  mark_hum(best, leads, std::vector<std::vector<Stretch>>{{{30, 100}}, {{30, 39}, {40, 60}}});
  EXPECT_EQ(leads[1].blocks, (QualityBlocks{good, noisy, noisy, good, noisy})) << "a block that ends later stays";
  EXPECT_EQ(best.blocks, (QualityBlocks{good, noisy, noisy, good, noisy}));
  EXPECT_THROW_KIND(mark_hum(best, leads, std::vector<std::vector<Stretch>>(1)), ErrorKind::internal);
}

TEST(LikelyLeads, AreThoseThatMayBeAnEcgIfAnyThatCountsMay) {
  const SignalNature ecg, sine{.qrs_share = 0.01}, square{.two_levels = 0.9};
  const std::vector<SignalNature> natures{ecg, sine, square};
  EXPECT_EQ(likely_leads(natures, {1, 1, 1}), (CountingLeads{1, 0, 0}));
  EXPECT_EQ(likely_leads(natures, {0, 1, 1}), (CountingLeads{0, 1, 1}));
  EXPECT_THROW_KIND(likely_leads(natures, {1}), ErrorKind::internal);
}

TEST(BestQuality, OfNoLeadOrOfSeveralLengthsThrows) {
  const std::vector<SignalQuality> leads = {{{Quality::good}, 50}, {{Quality::good, Quality::good}, 50}};
  EXPECT_THROW_KIND(best_quality(leads, CountingLeads{0, 0}), ErrorKind::internal);
  EXPECT_THROW_KIND(best_quality({}, {}), ErrorKind::internal);
  EXPECT_THROW_KIND(best_quality(leads, CountingLeads{1, 1}), ErrorKind::internal);
  EXPECT_EQ(best_quality(leads, CountingLeads{0, 1}).blocks.size(), 2u) << "a lead that is left out may have any";
}

}  // namespace
}  // namespace beatscan
