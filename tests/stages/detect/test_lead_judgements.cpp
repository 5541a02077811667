// Tests which beats several leads have together, and which leads count. One lead is tested in test_beat_list.cpp, and
// the kernel that joins judgements in tests/kernels/detect/test_judge_beats.cpp.
#include <algorithm>

#include "kernels/detect/judge_beats.h"
#include "kernels/runtime/error.h"
#include "stages/detect/beat_list.h"
#include "stages/detect/detect.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/quality_index.h"
#include "tests/support/backends.h"
#include "tests/support/beat_lists.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using LeadFlags = std::vector<std::uint8_t>;
using LeadOutcomes = std::vector<Outcome>;
using Blocks = std::vector<Quality>;

constexpr auto kInGood = Quality::good, kInNoise = Quality::noisy, kInClipped = Quality::clipped,
               kInFlat = Quality::flat, kInMissing = Quality::missing;
constexpr auto kHasRow = Outcome::kept, kAtGap = Outcome::in_gap;

struct LeadGap {
  std::int64_t first, last;
};
struct LeadOfList {
  std::vector<LeadGap> gaps = {};
  Blocks blocks = {kInGood};
  SignalNature nature = {};
};

// A lead's judgement on the host; empty for one that does not count.
struct JudgedLead {
  LeadOutcomes outcomes;
  LeadFlags trusted, broken;
};
struct ListedBeats {
  BeatList all;
  std::vector<JudgedLead> leads;
  std::vector<SignalQuality> lead_quality;
  SignalQuality quality;
  Quality worst_trusted;
};

template <class Context>
class BeatsOfLeads : public OnBackend<Context> {
 protected:
  // Lists beats at 100 Hz, where a row reaches from 15 samples before the R peak to 30 after it. A quality block has
  // 50 samples.
  ListedBeats list(std::int64_t n, const std::vector<double>& r_peaks, const std::vector<LeadOfList>& leads) {
    auto& context = this->context();
    Recording<Context> recording;
    Detection<Context> detection{.r_peaks = from_host(context, r_peaks)};
    for (const auto& [gaps, blocks, nature] : leads) {
      std::vector<std::int64_t> firsts, lasts;
      for (const auto& [first, last] : gaps) {
        firsts.push_back(first);
        lasts.push_back(last);
      }
      recording.leads.push_back({.samples = from_host(context, std::vector<float>(n)),
                                 .gap_firsts = from_host(context, firsts),
                                 .gap_lasts = from_host(context, lasts)});
      detection.quality.push_back(with_flat_off({blocks, 50, nature}, n));
    }
    auto found = list_beats(context, recording, std::move(detection), {}, {0.150, 0.300}, 0, 100);
    ListedBeats listed{to_host(context, found.beats), {}, found.leads, found.quality, found.worst_trusted};
    for (const auto& lead : found.beats.leads)
      listed.leads.push_back(
          {to_host(context, lead.outcomes), to_host(context, lead.trusted), to_host(context, lead.broken)});
    return listed;
  }
};
TYPED_TEST_SUITE(BeatsOfLeads, Backends, BackendNames);

const std::vector<double> kFourBeats = {100, 200, 300, 400};

TYPED_TEST(BeatsOfLeads, ABeatIsWhatItIsInTheBestLead) {
  const LeadOfList first{.gaps = {{290, 310}}, .blocks = Blocks(10, kInGood)},
      second{.gaps = {{150, 160}},
             .blocks = {kInGood, kInGood, kInGood, kInGood, kInGood, kInGood, kInGood, kInGood, kInNoise, kInGood}};
  const auto beats = this->list(500, kFourBeats, {first, second});
  EXPECT_EQ(beats.all.r_peaks, kFourBeats);
  EXPECT_EQ(beats.all.outcomes, LeadOutcomes(4, kHasRow));
  EXPECT_EQ(beats.all.quality, Blocks(4, kInGood));
  EXPECT_EQ(beats.all.trusted, LeadFlags(4, 1));
  EXPECT_EQ(beats.all.broken, (LeadFlags{0, 0, 1}))
      << "the last is in a gap of one lead and ends in noise in the other";
  ASSERT_EQ(beats.leads.size(), 2u);
  EXPECT_EQ(beats.leads[0].outcomes, (LeadOutcomes{kHasRow, kHasRow, kAtGap, kHasRow}));
  EXPECT_EQ(beats.leads[0].trusted, (LeadFlags{1, 1, 0, 1}));
  EXPECT_EQ(beats.leads[0].broken, (LeadFlags{0, 1, 1}));
  EXPECT_EQ(beats.leads[1].outcomes, LeadOutcomes(4, kHasRow));
  EXPECT_EQ(beats.leads[1].trusted, (LeadFlags{1, 1, 1, 0}));
  EXPECT_EQ(beats.leads[1].broken, (LeadFlags{1, 0, 0}));
  EXPECT_EQ(beats.quality.blocks, Blocks(10, kInGood));
  EXPECT_EQ(beats.worst_trusted, kInGood);
}

TYPED_TEST(BeatsOfLeads, AGapInAllLeadsIsAGap) {
  const auto beats = this->list(
      500, kFourBeats,
      {{.gaps = {{190, 215}}, .blocks = Blocks(10, kInGood)}, {.gaps = {{210, 260}}, .blocks = Blocks(10, kInGood)}});
  EXPECT_EQ(beats.all.outcomes, (LeadOutcomes{kHasRow, kAtGap, kHasRow, kHasRow}));
  EXPECT_EQ(beats.all.trusted, (LeadFlags{1, 0, 1, 1}));
  EXPECT_EQ(beats.leads[0].broken, (LeadFlags{1, 1, 0}));
  EXPECT_EQ(beats.leads[1].broken, (LeadFlags{0, 1, 0}));
  EXPECT_EQ(beats.all.broken, (LeadFlags{1, 1, 0})) << "the second lead's block at 200 is missing";
}

TYPED_TEST(BeatsOfLeads, AFlatLeadBreaksNoIntervalOfAnother) {
  const Blocks flat_from_250 = {kInGood, kInGood, kInGood, kInGood, kInGood,
                                kInFlat, kInFlat, kInFlat, kInFlat, kInFlat};
  const auto beats = this->list(500, kFourBeats, {{.blocks = flat_from_250}, {.blocks = Blocks(10, kInGood)}});
  EXPECT_EQ(beats.leads[0].broken, (LeadFlags{0, 1, 1}));
  EXPECT_EQ(beats.all.broken, (LeadFlags{0, 0, 0}));
  EXPECT_EQ(beats.all.quality, Blocks(4, kInGood));
  EXPECT_EQ(beats.quality.blocks, Blocks(10, kInGood));
  EXPECT_EQ(beats.lead_quality[0].blocks, flat_from_250) << "the lead's own quality shows it";
}

// A lead with one trusted beat does not show what is normal there, so that it neither keeps beats nor makes intervals
// valid.
TYPED_TEST(BeatsOfLeads, ALeadWithFewerThanTwoTrustedBeatsDoesNotCount) {
  const Blocks one_good = {kInFlat, kInFlat, kInGood, kInFlat, kInFlat, kInFlat, kInFlat, kInFlat, kInFlat, kInFlat};
  const LeadOfList whole{.gaps = {{290, 310}}, .blocks = Blocks(10, kInGood)}, flat{.blocks = one_good};
  for (const bool flat_first : {false, true}) {
    const auto beats = this->list(500, kFourBeats, flat_first ? std::vector{flat, whole} : std::vector{whole, flat});
    EXPECT_EQ(beats.all.outcomes, (LeadOutcomes{kHasRow, kHasRow, kAtGap, kHasRow})) << flat_first;
    EXPECT_EQ(beats.all.trusted, (LeadFlags{1, 1, 0, 1}));
    EXPECT_EQ(beats.all.broken, (LeadFlags{0, 1, 1}));
    ASSERT_EQ(beats.leads.size(), 2u);
    EXPECT_TRUE(beats.leads[flat_first ? 0 : 1].outcomes.empty());
    EXPECT_TRUE(beats.leads[flat_first ? 0 : 1].broken.empty());
    EXPECT_EQ(beats.leads[flat_first ? 1 : 0].outcomes.size(), 4u);
    EXPECT_EQ(beats.lead_quality.size(), 2u);
    EXPECT_EQ(beats.quality.blocks, Blocks(10, kInGood));
  }
  const Blocks two_good = {kInNoise, kInNoise, kInGood,  kInNoise, kInGood,
                           kInNoise, kInNoise, kInNoise, kInNoise, kInNoise};
  const auto beats = this->list(500, kFourBeats, {whole, {.blocks = two_good}});
  EXPECT_EQ(beats.leads[1].trusted, (LeadFlags{1, 1, 0, 0}));
  EXPECT_EQ(beats.all.outcomes, LeadOutcomes(4, kHasRow)) << "with two it does";
  EXPECT_EQ(beats.all.trusted, (LeadFlags{1, 1, 0, 1})) << "noise is kept and not trusted";
}

TYPED_TEST(BeatsOfLeads, ALeadThatMayBeNoEcgCountsOnlyWhereNoneMayBe) {
  const LeadOfList ecg{.blocks = Blocks(10, kInGood)},
      sine{.blocks = Blocks(10, kInGood), .nature = {.qrs_share = 0.03}};
  const auto beats = this->list(500, kFourBeats, {sine, ecg});
  EXPECT_TRUE(beats.leads[0].outcomes.empty());
  EXPECT_EQ(beats.leads[1].outcomes.size(), 4u);
  EXPECT_EQ(beats.quality.nature.qrs_share, 1) << "that of the lead that counts";
  for (const auto& lead : this->list(500, kFourBeats, {sine, sine}).leads) EXPECT_EQ(lead.outcomes.size(), 4u);
  EXPECT_EQ(this->list(500, kFourBeats, {sine, {.blocks = Blocks(10, kInFlat)}}).leads[0].outcomes.size(), 4u);
}

// The first lead has a gap, and the second is noise there: it is unknown whether there were beats in it.
TYPED_TEST(BeatsOfLeads, NoiseInOneLeadMendsNoGapOfAnother) {
  const LeadOfList gap{.gaps = {{240, 260}}, .blocks = Blocks(10, kInGood)};
  const auto with = [&](Quality quality) {
    return this->list(500, kFourBeats, {gap, {.blocks = Blocks(10, quality)}}).all.broken;
  };
  EXPECT_EQ(with(kInNoise), (LeadFlags{0, 1, 0}));
  EXPECT_EQ(with(kInGood), (LeadFlags{0, 0, 0}));
}

// The second lead is good for four of 40 beats, and then missing. Beats in the first one's noise remain trusted.
TYPED_TEST(BeatsOfLeads, ALeadThatIsGoodForAMomentDoesNotSpeakForTheRest) {
  std::vector<double> r_peaks;
  for (int i = 1; i <= 40; ++i) r_peaks.push_back(100 * i);
  const auto beats = this->list(
      4100, r_peaks, {{.blocks = Blocks(82, kInNoise)}, {.gaps = {{450, 4099}}, .blocks = Blocks(82, kInGood)}});
  EXPECT_EQ(beats.all.outcomes, LeadOutcomes(40, kHasRow));
  EXPECT_EQ(std::ranges::count(beats.leads[0].trusted, 1), 40) << "its own noise shows what is normal there";
  EXPECT_EQ(std::ranges::count(beats.leads[1].trusted, 1), 4);
}

TYPED_TEST(BeatsOfLeads, PoorSignalIsTrustedOnlyWhereNoLeadHasBetter) {
  const auto of = [&](Quality first, Quality second) {
    return this->list(500, kFourBeats, {{.blocks = Blocks(10, first)}, {.blocks = Blocks(10, second)}});
  };
  const auto counting = [](const ListedBeats& beats) {
    LeadFlags flags;
    for (const auto& lead : beats.leads) flags.push_back(!lead.outcomes.empty());
    return flags;
  };
  const auto good_and_noisy = of(kInGood, kInNoise);
  EXPECT_EQ(good_and_noisy.worst_trusted, kInGood);
  EXPECT_EQ(counting(good_and_noisy), (LeadFlags{1, 1})) << "the noisy lead stands in where the other is missing";
  const auto clipped_and_noisy = of(kInClipped, kInNoise);
  EXPECT_EQ(clipped_and_noisy.worst_trusted, kInNoise);
  EXPECT_EQ(counting(clipped_and_noisy), (LeadFlags{1, 1}));
  EXPECT_EQ(clipped_and_noisy.all.trusted, LeadFlags(4, 1));
  EXPECT_EQ(clipped_and_noisy.all.quality, Blocks(4, kInNoise));
  const auto clipped_and_flat = of(kInClipped, kInFlat);
  EXPECT_EQ(clipped_and_flat.worst_trusted, kInClipped);
  EXPECT_EQ(counting(clipped_and_flat), (LeadFlags{1, 0}));
  const auto both = of(kInNoise, kInNoise);
  EXPECT_EQ(counting(both), (LeadFlags{1, 1}));
  const auto nothing = of(kInFlat, kInFlat);
  EXPECT_EQ(nothing.worst_trusted, kInGood);
  EXPECT_EQ(nothing.all.trusted, LeadFlags(4, 0));
  EXPECT_EQ(counting(nothing), (LeadFlags{1, 1}));
}

TYPED_TEST(BeatsOfLeads, BlocksAreMissingInTheirLeadAlone) {
  const auto beats = this->list(
      500, kFourBeats, {{.blocks = Blocks(10, kInGood)}, {.gaps = {{50, 125}}, .blocks = Blocks(10, kInGood)}});
  Blocks second(10, kInGood);
  second[1] = second[2] = kInMissing;  // of the latter 26 samples are missing
  EXPECT_EQ(beats.lead_quality[0].blocks, Blocks(10, kInGood));
  EXPECT_EQ(beats.lead_quality[1].blocks, second);
  EXPECT_EQ(beats.quality.blocks, Blocks(10, kInGood));
  const auto alone = this->list(
      500, kFourBeats,
      {{.gaps = {{50, 125}}, .blocks = Blocks(10, kInGood)}, {.gaps = {{50, 125}}, .blocks = Blocks(10, kInGood)}});
  EXPECT_EQ(alone.quality.blocks, second) << "in both";
}

TYPED_TEST(BeatsOfLeads, OneLeadHasNoJudgementOutsideOfTheList) {
  const LeadOfList lead{.gaps = {{290, 310}}, .blocks = Blocks(10, kInGood)};
  const auto one = this->list(500, kFourBeats, {lead}), twice = this->list(500, kFourBeats, {lead, lead});
  EXPECT_TRUE(one.leads.empty());
  EXPECT_EQ(twice.leads.size(), 2u);
  EXPECT_EQ(one.all.outcomes, twice.all.outcomes);
  EXPECT_EQ(one.all.trusted, twice.all.trusted);
  EXPECT_EQ(one.all.broken, twice.all.broken);
  EXPECT_EQ(one.quality.blocks, twice.quality.blocks);
}

TYPED_TEST(BeatsOfLeads, NoBeatsAndOne) {
  const auto none = this->list(500, {}, {{}, {}});
  EXPECT_TRUE(none.all.outcomes.empty() && none.all.broken.empty());
  EXPECT_EQ(none.leads.size(), 2u);
  const auto one = this->list(500, {200}, {{.gaps = {{200, 200}}}, {}});
  EXPECT_EQ(one.all.outcomes, LeadOutcomes{kHasRow});
  EXPECT_EQ(one.all.trusted, LeadFlags{1});
  EXPECT_TRUE(one.all.broken.empty());
}

// Every lead has at least two trusted beats, so that all leads count, and are joined as each is alone. A CPU thread
// takes 16,384 beats, a Cuda block 256.
TYPED_TEST(BeatsOfLeads, AreThoseOfTheLeadsJoined) {
  for (const std::int64_t count : {255, 256, 257, 16'390}) {
    SCOPED_TRACE(shape_and_seed("count", count, count));
    std::mt19937 random(count);
    std::vector<double> r_peaks(count);
    for (std::int64_t i = 0; i < count; ++i) r_peaks[i] = static_cast<double>(50 * i + random() % 40);
    std::vector<LeadOfList> leads(3);
    for (auto& [gaps, blocks, nature] : leads) {
      for (std::int64_t at = 100 + random() % 300; at + 40 < 50 * count; at += 60 + random() % 400)
        gaps.push_back({at, at + static_cast<std::int64_t>(random() % 40)});
      for (std::int64_t i = 0; i < count; ++i)
        blocks.push_back(static_cast<Quality>(random() % 8 < 4 ? 0 : random() % 4));
      blocks[0] = blocks[1] = kInGood;
      std::erase_if(gaps, [](const LeadGap& gap) { return gap.first < 150; });
    }
    const auto together = this->list(50 * count, r_peaks, leads);
    std::vector<ListedBeats> alone;
    for (const auto& lead : leads) alone.push_back(this->list(50 * count, r_peaks, {lead}));
    const auto any = [&](auto flag) { return std::ranges::any_of(alone, flag); };
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(together.all.outcomes[i] == kHasRow,
                any([&](const auto& lead) { return lead.all.outcomes[i] == kHasRow; }));
      ASSERT_EQ(together.all.trusted[i], any([&](const auto& lead) { return lead.all.trusted[i] == 1; })) << i;
      int least = 4;
      for (const auto& lead : alone)
        if (lead.all.outcomes[i] == together.all.outcomes[i]) least = std::min(least, poorness(lead.all.quality[i]));
      ASSERT_EQ(poorness(together.all.quality[i]), least) << i;
      if (i + 1 == count) break;
      const auto is_clear = [&](std::size_t l) {
        if (alone[l].all.broken[i]) return false;
        for (auto block = static_cast<std::int64_t>(r_peaks[i]) / 50;
             block <= static_cast<std::int64_t>(r_peaks[i + 1]) / 50; ++block)
          if (const auto& its = alone[l].lead_quality[0].blocks; its[std::min(block, std::ssize(its) - 1)] != kInGood)
            return false;
        return true;
      };
      const bool is_broken = any([&](const auto& lead) { return lead.all.broken[i] == 1; });
      ASSERT_EQ(together.all.broken[i], is_broken && !is_clear(0) && !is_clear(1) && !is_clear(2)) << i;
    }
    for (std::size_t l = 0; l < leads.size(); ++l) {
      EXPECT_EQ(together.leads[l].outcomes, alone[l].all.outcomes) << l;
      EXPECT_EQ(together.leads[l].trusted, alone[l].all.trusted) << l;
      EXPECT_EQ(together.leads[l].broken, alone[l].all.broken) << l;
    }
  }
}

TYPED_TEST(BeatsOfLeads, QualityMustBeThatOfTheSameLeads) {
  auto& context = this->context();
  const auto recording = with_one_lead<TypeParam>({.samples = from_host(context, std::vector<float>(500))});
  for (const std::size_t leads : {0, 2}) {
    Detection<TypeParam> detection{.r_peaks = from_host(context, kFourBeats)};
    detection.quality.resize(leads, {{kInGood}, 50});
    EXPECT_THROW_KIND(list_beats(context, recording, std::move(detection), {}, {0.150, 0.300}, 0, 100),
                      ErrorKind::internal);
  }
}

}  // namespace
}  // namespace beatscan
