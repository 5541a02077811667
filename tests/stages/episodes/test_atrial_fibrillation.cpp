#include "stages/episodes/atrial_fibrillation.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "stages/episodes/episode_options.h"
#include "tests/stages/episodes/listed_beats.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

template <class Context>
class AtrialFibrillationRule : public OnBackend<Context> {
 protected:
  AtrialFibrillation found(const ListedForTest& beats, const AfOptions& options = {}, IntervalFlags hidden = {}) {
    hidden.resize(beats.broken.size());
    return atrial_fibrillation(this->context(), beats.view(), linked_intervals(beats.view(), hidden, {}), hidden,
                               beats.samples(), options);
  }
  std::string text(const ListedForTest& beats, const AfOptions& options = {}) {
    return told(found(beats, options).episodes, beats);
  }
};
TYPED_TEST_SUITE(AtrialFibrillationRule, Backends, BackendNames);

ListedForTest irregular(int beats) {
  ListedForTest list;
  add_irregular(list, beats, 1);
  return list;
}

TYPED_TEST(AtrialFibrillationRule, IrregularThroughout) {
  const auto found = this->found(irregular(300));
  ASSERT_EQ(found.episodes.size(), 1U);
  EXPECT_EQ(told(found.episodes, irregular(300)), "AFIB 0-299");
  EXPECT_GT(found.episodes[0].confidence, 0.5);
  EXPECT_EQ(found.episodes[0].quality, Quality::good);
  ASSERT_EQ(found.told.size(), 1U);
  EXPECT_EQ(found.told[0].end, found.episodes[0].end);
}

TYPED_TEST(AtrialFibrillationRule, NotWhereThereIsAPattern) {
  ListedForTest regular, bigeminy;
  add_regular(regular, 300);
  EXPECT_EQ(this->text(regular), "");
  EXPECT_EQ(this->found(regular).told.size(), 1U) << "it can be told that there is none";
  for (int i = 0; i < 150; ++i) bigeminy.add('N', 1.1), bigeminy.add('S', 0.6);
  EXPECT_EQ(this->text(bigeminy), "");
}

// Intervals that go up and down by a tenth with breathing, and jitter, are irregular but have waves.
TYPED_TEST(AtrialFibrillationRule, NotWhereItIsBreathing) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> any(0, 0.03);
  ListedForTest beats;
  beats.add('N', 0);
  for (int i = 0; i < 500; ++i) {
    const double s = beats.r_peaks.back() / 100;
    beats.add('N', 0.85 * (1 + 0.15 * std::sin(2 * 3.14159265 * 0.25 * s) + any(random)));
  }
  EXPECT_EQ(this->text(beats), "");
  EXPECT_NE(this->text(beats, {.most_breathing = 3}), "") << "the rule, and nothing else";
}

// At the edges shares are means over 9 beats, of which some come again by chance.
TYPED_TEST(AtrialFibrillationRule, AnEpisodeInARegularRhythm) {
  ListedForTest beats;
  add_regular(beats, 300);
  add_irregular(beats, 300, 2);
  add_regular(beats, 300);
  const auto found = this->found(beats);
  ASSERT_EQ(found.episodes.size(), 1U);
  EXPECT_NEAR(found.episodes[0].start, beats.r_peaks[300], 30 * 75);
  EXPECT_NEAR(found.episodes[0].end, beats.r_peaks[600], 30 * 75);
}

// An episode may be short: its 65 beats are all irregular for 15 s only.
TYPED_TEST(AtrialFibrillationRule, AShortEpisodeInARegularRhythm) {
  ListedForTest beats;
  add_regular(beats, 300);
  add_irregular(beats, 110, 2);
  add_regular(beats, 300);
  const auto found = this->found(beats);
  ASSERT_EQ(found.episodes.size(), 1U);
  EXPECT_NEAR(found.episodes[0].start, beats.r_peaks[300], 9 * 75);
  EXPECT_NEAR(found.episodes[0].end, beats.r_peaks[410], 9 * 75);
  EXPECT_GT(found.episodes[0].confidence, 0.3);
  EXPECT_EQ(this->text(beats, {.core = 3}), "") << "not if it has to be irregular for longer";
}

// Sixty beats that breathe are fewer than a window of breathing has.
TYPED_TEST(AtrialFibrillationRule, NotWhereItIsBreathingForAMinute) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> any(0, 0.03);
  ListedForTest beats;
  beats.add('N', 0);
  for (int i = 0; i < 60; ++i) {
    const double s = beats.r_peaks.back() / 100;
    beats.add('N', 0.85 * (1 + 0.18 * std::sin(2 * 3.14159265 * s / 4.3) + any(random)));
  }
  EXPECT_EQ(this->text(beats), "");
  EXPECT_NE(this->text(beats, {.most_few_breaths = 3}), "") << "the rule, and nothing else";
  EXPECT_NE(this->text(irregular(60)), "") << "without waves";
}

// Extrasystoles beside AF are as irregular: it goes on over a few of them, and is not lost for them.
TYPED_TEST(AtrialFibrillationRule, BesideFrequentExtrasystoles) {
  std::mt19937_64 random(3);
  const auto extrasystoles = [&](ListedForTest& beats, int count) {
    for (int i = 0; i < count; ++i) {
      if (random() % 100 < 45) {
        beats.add('S', 0.45 + 0.2 * static_cast<double>(random() % 1009) / 1009);
        beats.add('N', 0.95 + 0.15 * static_cast<double>(random() % 1009) / 1009);
      }
      add_regular(beats, 1);
    }
  };
  ListedForTest beats;
  extrasystoles(beats, 250);
  const double start = beats.r_peaks.back();
  add_irregular(beats, 200, 2);
  const double end = beats.r_peaks.back();
  extrasystoles(beats, 250);
  const auto found = this->found(beats).episodes;
  ASSERT_GE(found.size(), 1U);
  double within = 0;
  for (const Episode& its : found) within += std::max(0.0, std::min(its.end, end) - std::max(its.start, start));
  EXPECT_GT(within, 0.9 * (end - start));
}

// A premature beat in three, at any time, is no atrial fibrillation, because the rest is regular.
TYPED_TEST(AtrialFibrillationRule, EarlyBeatsInARegularRhythm) {
  ListedForTest beats;
  std::mt19937_64 random(3);
  for (int i = 0; i < 150; ++i) {
    const double early = 0.35 + 0.3 * static_cast<double>(random() % 1009) / 1009;
    add_regular(beats, 1);
    beats.add('S', early);
    beats.add('N', 0.95 + 0.2 * static_cast<double>(random() % 1009) / 1009);
  }
  EXPECT_EQ(this->text(beats), "");
  EXPECT_NE(this->text(beats, {.share_rest = 2, .most_breathing = 3}), "")
      << "it would be without the second condition, and that on breathing";
}

// Ventricular beats, poor signal and intervals that are not known are set aside.
TYPED_TEST(AtrialFibrillationRule, WhatDoesNotCount) {
  ListedForTest beats = irregular(300);
  beats.kinds.assign(300, Kind::ventricular);
  EXPECT_TRUE(this->found(beats).told.empty());
  beats = irregular(300);
  beats.quality.assign(300, Quality::noisy);
  EXPECT_TRUE(this->found(beats).told.empty());
  beats = irregular(300);
  beats.broken.assign(299, 1);
  EXPECT_TRUE(this->found(beats).told.empty());
  beats = irregular(300);
  for (int i = 0; i < 300; i += 3) beats.kinds[i] = Kind::ventricular;
  const auto found = this->found(beats);
  ASSERT_EQ(found.episodes.size(), 1U);
  EXPECT_LT(found.episodes[0].confidence, 0.35) << "a third of the intervals is usable";
}

TYPED_TEST(AtrialFibrillationRule, FewIntervals) {
  EXPECT_TRUE(this->found(irregular(12)).told.empty());
  EXPECT_EQ(this->found(irregular(13)).told.size(), 1U);
  EXPECT_EQ(this->text(irregular(13)), "AFIB 0-12") << "in 10 s the least duration is half of that";
  EXPECT_TRUE(this->found({}).told.empty());
  EXPECT_TRUE(this->found(beats_of("N", 1)).told.empty());
}

// At most 10 s that cannot be told are joined.
TYPED_TEST(AtrialFibrillationRule, JoinsOverWhatCannotBeTold) {
  for (const double gap_s : {9.9, 10.1}) {
    ListedForTest beats = irregular(150);
    beats.add('N', gap_s);
    add_irregular(beats, 150, 4);
    EXPECT_EQ(this->text(beats), gap_s < 10 ? "AFIB 0-300" : "AFIB 0-149, AFIB 150-300");
    EXPECT_EQ(this->found(beats).told.size(), gap_s < 10 ? 1U : 2U);
  }
}

TYPED_TEST(AtrialFibrillationRule, VentricularFibrillationIsNotJoinedOver) {
  const ListedForTest beats = irregular(300);
  IntervalFlags hidden(299);
  hidden[150] = hidden[151] = 1;
  EXPECT_EQ(told(this->found(beats, {}, hidden).episodes, beats), "AFIB 0-150, AFIB 152-299");
}

TYPED_TEST(AtrialFibrillationRule, LeastDuration) {
  ListedForTest beats;
  add_regular(beats, 400);
  add_irregular(beats, 300, 2);
  add_regular(beats, 400);
  const auto found = this->found(beats, {.least_s = 0}).episodes;
  ASSERT_EQ(found.size(), 1U);
  const double s = (found[0].end - found[0].start) / 100;
  EXPECT_EQ(this->found(beats, {.least_s = s}).episodes.size(), 1U);
  EXPECT_EQ(this->found(beats, {.least_s = s + 0.01}).episodes.size(), 0U);
}

}  // namespace
}  // namespace beatscan
