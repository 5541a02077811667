// Tests which beats become rows, and which are trusted. The rows themselves are tested in test_centred_beats.cpp.
#include "stages/detect/beat_list.h"

#include <algorithm>
#include <numeric>

#include "stages/detect/detect.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/quality_index.h"
#include "tests/support/backends.h"
#include "tests/support/beat_lists.h"

namespace beatscan {
namespace {

using Doubles = std::vector<double>;
using Flags = std::vector<std::uint8_t>;

constexpr auto kGood = Quality::good, kFlat = Quality::flat, kNoisy = Quality::noisy;

struct Gap {
  std::int64_t first, last;
};

template <class Context>
class RowsOfBeats : public OnBackend<Context> {
 protected:
  double bridge_s_ = 0;      // longest gap that is bridged
  bool flat_is_off_ = true;  // whether flat stretches are lead-off

  // Lists beats at 100 Hz, where a row reaches from 15 samples before the R peak to 30 after it. A quality block has
  // 50 samples.
  BeatList list(std::int64_t n, const Doubles& r_peaks, const std::vector<Gap>& gaps,
                const std::vector<Quality>& quality = {kGood}) {
    std::vector<std::int64_t> firsts, lasts;
    for (const auto& [first, last] : gaps) {
      firsts.push_back(first);
      lasts.push_back(last);
    }
    auto& context = this->context();
    const auto recording = with_one_lead<Context>({.samples = from_host(context, std::vector<float>(n)),
                                                   .gap_firsts = from_host(context, firsts),
                                                   .gap_lasts = from_host(context, lasts)});
    Detection<Context> detection{.r_peaks = from_host(context, r_peaks), .quality = {{quality, 50}}};
    if (flat_is_off_) detection.quality[0] = with_flat_off(detection.quality[0], n);
    return to_host(context,
                   list_beats(context, recording, std::move(detection), {}, {0.150, 0.300}, bridge_s_, 100).beats);
  }
};
TYPED_TEST_SUITE(RowsOfBeats, Backends, BackendNames);

TYPED_TEST(RowsOfBeats, AShortGapDropsNoBeatAndBreaksNoInterval) {
  this->bridge_s_ = 0.020;  // 2 samples
  const auto of = [&](const Gap& gap) { return this->list(500, {100, 200}, {gap}); };
  EXPECT_EQ(of({100, 101}).outcomes, std::vector<Outcome>(2, Outcome::kept));
  EXPECT_EQ(of({100, 101}).trusted, (Flags{1, 1}));
  EXPECT_EQ(of({150, 151}).broken, Flags{0});
  EXPECT_EQ(of({100, 102}).outcomes, (std::vector<Outcome>{Outcome::in_gap, Outcome::kept}));
  EXPECT_EQ(of({150, 152}).broken, Flags{1});
  std::vector<Gap> many;  // half of all samples, in gaps of one
  for (int i = 0; i < 500; i += 2) many.push_back({i, i});
  const auto of_many = this->list(500, {100, 200}, many, std::vector<Quality>(10, kGood));
  EXPECT_EQ(of_many.trusted, (Flags{1, 1}));
  EXPECT_EQ(of_many.quality, std::vector<Quality>(2, kGood));
  many.clear();  // two of three: nothing of a QRS complex is left
  for (int i = 0; i < 500; i += 3) many.push_back({i, i + 1});
  EXPECT_EQ(this->list(501, {100, 200}, many, std::vector<Quality>(10, kGood)).quality,
            std::vector<Quality>(2, Quality::missing));
}

TYPED_TEST(RowsOfBeats, PoorSignalIsTrustedWhereThereIsNoBetter) {
  constexpr auto kClipped = Quality::clipped;
  const auto trusted = [&](const std::vector<Quality>& quality) {
    const Doubles r_peaks = {25, 75, 125, 175};
    return this->list(200, r_peaks, {}, quality).trusted;
  };
  EXPECT_EQ(trusted({kGood, kGood, kNoisy, kClipped}), (Flags{1, 1, 0, 0}));
  EXPECT_EQ(trusted({kGood, kNoisy, kNoisy, kClipped}), (Flags{1, 1, 1, 0}));
  EXPECT_EQ(trusted({kNoisy, kFlat, kFlat, kClipped}), (Flags{1, 0, 0, 1})) << "never flat signal";
  EXPECT_EQ(trusted({kClipped, kFlat, kFlat, kFlat}), (Flags{1, 0, 0, 0}));
}

TYPED_TEST(RowsOfBeats, WhatTouchesAGapIsNotKept) {
  const auto outcome = [&](const Gap& gap) { return this->list(500, {100}, {gap}).outcomes; };
  const std::vector<Outcome> kept = {Outcome::kept}, in_gap = {Outcome::in_gap};
  EXPECT_EQ(outcome({80, 84}), kept);
  EXPECT_EQ(outcome({80, 85}), in_gap);
  EXPECT_EQ(outcome({100, 100}), in_gap);
  EXPECT_EQ(outcome({130, 400}), in_gap);
  EXPECT_EQ(outcome({131, 400}), kept);
  EXPECT_EQ(outcome({0, 499}), in_gap);
  const auto beats = this->list(500, {100, 300}, {{90, 91}});
  EXPECT_EQ(beats.outcomes, (std::vector<Outcome>{Outcome::in_gap, Outcome::kept}));
  EXPECT_EQ(beats.trusted, (Flags{0, 1}));
}

TYPED_TEST(RowsOfBeats, IntervalsOverGapsAndFlatStretchesAreBroken) {
  EXPECT_EQ(this->list(500, {100, 200, 300}, {{140, 150}}).broken, (Flags{1, 0}));
  const auto beats = this->list(500, {100, 240, 340}, {}, {kGood, kGood, kGood, kFlat, kGood, kGood, kNoisy, kGood});
  EXPECT_EQ(beats.broken, (Flags{1, 0})) << "beats are seen in noise";
  EXPECT_EQ(beats.outcomes, std::vector<Outcome>(3, Outcome::kept)) << "a flat stretch is there";
  EXPECT_EQ(this->list(500, {100, 160, 240}, {}, {kGood, kGood, kGood, kFlat, kGood}).broken, (Flags{1, 1}))
      << "a beat in a flat stretch";
  const auto broken_from = [&](double r_peak) {
    return this->list(500, {r_peak, 240}, {}, {kGood, kGood, kGood, kFlat, kGood}).broken[0];
  };
  EXPECT_EQ(broken_from(199), 1) << "its last sample";
  EXPECT_EQ(broken_from(200), 0);
  this->flat_is_off_ = false;
  EXPECT_EQ(broken_from(199), 0) << "the heart may have paused";
}

TYPED_TEST(RowsOfBeats, OnlyKeptBeatsInGoodSignalAreTrusted) {
  const auto beats = this->list(500, {20.5, 75, 149.9, 150}, {{60, 60}}, {kGood, kGood, kGood, kNoisy});
  EXPECT_EQ(beats.quality, (std::vector<Quality>{kGood, kGood, kGood, kNoisy}));
  EXPECT_EQ(beats.trusted, (Flags{1, 0, 1, 0}));
}

TYPED_TEST(RowsOfBeats, QualityIsThatOfTheBlock) {
  const auto beats = this->list(500, {0, 49.9, 50, 100, 174.9}, {}, {kFlat, kGood, kNoisy});
  EXPECT_EQ(beats.quality, (std::vector<Quality>{kFlat, kFlat, kGood, kNoisy, kNoisy})) << "the last block is longer";
}

TYPED_TEST(RowsOfBeats, ListsNoneOneAndThoseAtTheEnds) {
  EXPECT_TRUE(this->list(10, {}, {}).broken.empty() && this->list(10, {}, {}).outcomes.empty());
  EXPECT_EQ(this->list(10, {5}, {}).trusted, Flags{1});
  EXPECT_TRUE(this->list(10, {5}, {}).broken.empty());
  EXPECT_EQ(this->list(500, {0, 499}, {}).outcomes, std::vector<Outcome>(2, Outcome::kept));
  EXPECT_EQ(this->list(500, {0, 499}, {{0, 0}, {499, 499}}).outcomes, std::vector<Outcome>(2, Outcome::in_gap));
}

// Counts the missing samples one by one. The largest count has several threads, as a thread takes 16,384 beats.
TYPED_TEST(RowsOfBeats, OutcomesAndBreaksMatchTheirDefinition) {
  for (const std::int64_t count : {2, 3, 1000, 33'000}) {
    SCOPED_TRACE(shape_and_seed("count", count, count));
    std::mt19937 random(count);
    Doubles r_peaks(count);
    for (std::int64_t i = 0; i < count; ++i) r_peaks[i] = static_cast<double>(50 * i + random() % 40);
    const std::int64_t n = 50 * count;
    std::vector<Gap> gaps;
    std::vector<std::int64_t> missing_before(n + 1);
    for (std::int64_t at = random() % 300; at < n; at += 5 + random() % 600) {
      gaps.push_back({at, std::min<std::int64_t>(at + random() % 20, n - 1)});
      for (; at <= gaps.back().last; ++at) missing_before[at + 1] = 1;
    }
    std::partial_sum(missing_before.begin(), missing_before.end(), missing_before.begin());
    const auto any_missing = [&](double first, double last) {
      return missing_before[std::min(static_cast<std::int64_t>(last) + 1, n)] >
             missing_before[static_cast<std::int64_t>(std::max(first, 0.0))];
    };
    const auto beats = this->list(n, r_peaks, gaps, {});  // the quality is not known
    for (std::int64_t i = 0; i < count; ++i) {
      const bool in_gap = any_missing(r_peaks[i] - 15, r_peaks[i] + 30);
      ASSERT_EQ(beats.outcomes[i], in_gap ? Outcome::in_gap : Outcome::kept) << i;
      ASSERT_EQ(beats.trusted[i], !in_gap) << i;
      if (i + 1 == count) break;
      ASSERT_EQ(beats.broken[i], any_missing(r_peaks[i], r_peaks[i + 1])) << i;
    }
  }
}

}  // namespace
}  // namespace beatscan
