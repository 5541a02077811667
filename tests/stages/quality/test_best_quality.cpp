// Tests the quality that several leads have together.
#include <gtest/gtest.h>

#include "kernels/runtime/error.h"
#include "stages/quality/quality.h"
#include "stages/quality/quality_index.h"
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

// The recording has blocks of 10 samples, and the index of 9.5: each block asks that of its middle, the last one too.
TEST(MarkNoise, ChangesGoodBlocksThatTheIndexCallsBad) {
  const auto good = Quality::good, noisy = Quality::noisy, flat = Quality::flat;
  QualityIndex index{.leads = 2, .blocks = 4, .block_samples = 9.5, .probabilities = {}};
  for (const float p : {0.5F, 0.49F, 0.1F, 0.9F, 0.9F, 0.9F, 0.4F, 0.2F})
    index.probabilities.insert(index.probabilities.end(), {p, 0.3F, 0.7F - p});
  SignalQuality first{{good, good, flat, good, good}, 10}, second{{good, noisy, good, good, good}, 10};
  mark_noise(first, {}, 0, 50, 1);
  EXPECT_EQ(first.blocks, (QualityBlocks{good, good, flat, good, good})) << "without an index";
  mark_noise(first, index, 0, 50, 1);
  EXPECT_EQ(first.blocks, (QualityBlocks{good, noisy, flat, good, good}));
  second.gaps = {{25, 27}};
  mark_noise(second, index, 1, 50, 1);
  EXPECT_EQ(second.blocks, (QualityBlocks{good, noisy, good, noisy, noisy})) << "lost next to missing samples";
  SignalQuality bridged{{good, good, good, good, good}, 10};
  bridged.gaps = {{12, 14}};
  mark_noise(bridged, index, 0, 50, 2);
  EXPECT_EQ(bridged.blocks[1], noisy) << "a bridged gap changes nothing";
}

TEST(MarkPause, NoisyBlocksWhoseMiddleLiesInAPauseAreGood) {
  const auto good = Quality::good, noisy = Quality::noisy, flat = Quality::flat;
  const SignalQuality before{.blocks = {noisy, noisy, flat, noisy, noisy}, .block_samples = 10};
  SignalQuality lead = before, best = before;
  mark_pause(best, lead, {15, 35});
  EXPECT_EQ(lead.blocks, (QualityBlocks{noisy, good, flat, noisy, noisy}));
  EXPECT_EQ(best.blocks, lead.blocks);
  lead = before;
  best = {.blocks = {noisy, Quality::missing, flat, noisy, noisy}, .block_samples = 10};
  mark_pause(best, lead, {15, 35});
  EXPECT_EQ(best.blocks[1], Quality::missing) << "of the leads that count";
  best = before;
  mark_pause(best, lead = before, {16, 46});
  EXPECT_EQ(lead.blocks, (QualityBlocks{noisy, noisy, flat, good, good}));
  mark_pause(best, lead = before, {0, 6});
  EXPECT_EQ(lead.blocks, (QualityBlocks{good, noisy, flat, noisy, noisy}));
}

TEST(BestQuality, HasTheGapsOfAllLeads) {
  const std::vector<SignalQuality> leads = {{.blocks = {Quality::good}, .gaps = {{0, 10}, {20, 30}, {40, 41}}},
                                            {.blocks = {Quality::good}, .gaps = {{5, 25}, {40, 50}}},
                                            {.blocks = {Quality::good}}};
  const auto best = best_quality(leads, CountingLeads{1, 1, 0});
  EXPECT_EQ(missing_samples(best, 0, 100), 5 + 5 + 1);
  EXPECT_EQ(missing_samples(best, 7, 22), 3 + 2);
  EXPECT_EQ(missing_samples(best, 10, 20), 0);
  EXPECT_EQ(missing_samples(best_quality(leads, CountingLeads{1, 1, 1}), 0, 100), 0);
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
