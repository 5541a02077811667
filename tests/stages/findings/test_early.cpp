#include "stages/findings/early.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "stages/findings/finding_options.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Doubles = std::vector<double>;
using Flags = std::vector<std::uint8_t>;
using Places = std::vector<std::int64_t>;

constexpr double kEarlyRate_hz = 375;  // 300 samples are 75 beats a minute

template <class Context>
class EarlyBeats : public OnBackend<Context> {
 protected:
  // Returns the places of early beats. Nothing is known of longer parts of the recording.
  Places early(const Doubles& intervals, Flags broken = {}, Flags aside = {}, const EarlyOptions& options = {}) {
    auto& context = this->context();
    Doubles r_peaks{100};
    for (const double interval : intervals) r_peaks.push_back(r_peaks.back() + interval);
    broken.resize(intervals.size());
    aside.resize(r_peaks.size());
    const auto rhythm = local_rhythm(context, r_peaks, broken, kEarlyRate_hz, options);
    const auto ratio = from_host(context, std::vector<float>(r_peaks.size(), NAN));
    const auto found = early_beats(context, rhythm, ratio.span(), aside, options);
    Places places;
    for (std::int64_t i = 0; i < std::ssize(found); ++i)
      if (found[i]) places.push_back(i);
    return places;
  }
};
TYPED_TEST_SUITE(EarlyBeats, Backends, BackendNames);

// Beats at a rate that breathes, 300 samples apart.
Doubles sinus(int beats) {
  Doubles intervals;
  for (int i = 0; i < beats; ++i) intervals.push_back(300 + 15 * std::sin(0.8 * i));
  return intervals;
}

TYPED_TEST(EarlyBeats, ThoseThatComeTooSoon) {
  auto intervals = sinus(300);
  EXPECT_EQ(this->early(intervals), Places{});
  intervals[99] = 190, intervals[100] = 330;
  intervals[200] = 180, intervals[201] = 190, intervals[202] = 340;
  EXPECT_EQ(this->early(intervals), (Places{100, 201, 202})) << "beat i ends interval i - 1";
}

// In bigeminy every second beat is early; the intervals that are accepted are those between.
TYPED_TEST(EarlyBeats, InBigeminy) {
  auto intervals = sinus(300);
  Places expected;
  for (int i = 100; i < 140; i += 2) {
    intervals[i] = 190, intervals[i + 1] = 400;
    expected.push_back(i + 1);
  }
  EXPECT_EQ(this->early(intervals), expected);
}

// A run of tachycardia goes on for as long as the rate is high.
TYPED_TEST(EarlyBeats, InARun) {
  auto intervals = sinus(400);
  Places expected;
  for (int i = 100; i < 220; ++i) {
    intervals[i] = 170 + i % 3;
    expected.push_back(i + 1);
  }
  EXPECT_EQ(this->early(intervals), expected);
  EXPECT_LT(this->early(intervals, {}, {}, {.run_ratio = 0}).size(), expected.size());
}

// A tachycardia at 97 a minute in a rhythm of 75: no beat of it is early enough by itself.
TYPED_TEST(EarlyBeats, InAnEvenRunThatIsHardlyFaster) {
  auto intervals = sinus(300);
  Places expected;
  for (int i = 100; i < 120; ++i) {
    intervals[i] = 232 + i % 3;
    expected.push_back(i + 1);
  }
  EXPECT_EQ(this->early(intervals), expected);
  EXPECT_LT(this->early(intervals, {}, {}, {.even_run = 100}).size(), 5U) << "the rule, and nothing else";
  for (int i = 0; i < 20; ++i) intervals[120 + i] = 238 + 3 * i;
  EXPECT_LT(this->early(intervals).size(), 5U) << "it ends gradually: the sinus node";
}

// A rate that changes at once and stays is no run; early beats in it are judged by its own rate.
TYPED_TEST(EarlyBeats, NotAtARateThatChangesAndStays) {
  auto intervals = sinus(300);
  for (int i = 0; i < 300; ++i) intervals.push_back(210 + 5 * std::sin(0.8 * i));
  intervals[500] = 140, intervals[501] = 240;
  EXPECT_EQ(this->early(intervals), (Places{301, 501})) << "the first one, and the early one";
  EXPECT_GT(this->early(intervals, {}, {}, {.settled_beats = 1000}).size(), 250U) << "the rule, and nothing else";
  auto fast = sinus(300);
  for (int i = 0; i < 300; ++i) fast.push_back(170 + 5 * std::sin(0.8 * i));
  EXPECT_GT(this->early(fast).size(), 250U) << "it is a tachycardia, however long it lasts";
  EXPECT_LT(this->early(fast, {}, {}, {.settled_last_ratio = 0.5}).size(), 5U) << "unless the limit is lower";
  auto brisk = sinus(300);  // from 75 to 120 a minute
  for (int i = 0; i < 300; ++i) brisk.push_back(187.5 + 5 * std::sin(0.8 * i));
  EXPECT_LT(this->early(brisk).size(), 5U);
  for (int i = 0; i < 130; ++i) brisk.push_back(188 + i);
  for (int i = 0; i < 100; ++i) brisk.push_back(300 + 15 * std::sin(0.8 * i));
  EXPECT_GT(this->early(brisk).size(), 250U) << "it ends before the recording does";
  for (int i = 0; i < 300; ++i) intervals.push_back(300 + 15 * std::sin(0.8 * i));
  EXPECT_GT(this->early(intervals).size(), 250U) << "it ends as suddenly: a tachycardia";
}

// The rate falls for a while, as in sleep or while the atria pause, and is back: no beat comes early, however long it
// lasts and however suddenly it ends.
TYPED_TEST(EarlyBeats, NotWhereTheUsualRateIsBack) {
  Doubles intervals;
  for (const int usual : {150, 60, 200}) {
    for (int i = 0; i < usual; ++i) intervals.push_back(200 + 5 * std::sin(0.8 * i));
    for (int i = 0; i < 20; ++i) intervals.push_back(300 + 5 * std::sin(0.8 * i));
  }
  intervals[190] = 140, intervals[191] = 230;
  const auto found = this->early(intervals);
  EXPECT_LT(found.size(), 10U);
  EXPECT_TRUE(std::ranges::binary_search(found, 191)) << "it is early beside the usual rate, too";
  EXPECT_GT(this->early(intervals, {}, {}, {.usual_run = 1000}).size(), 50U) << "the rule, and nothing else";
  EXPECT_GT(this->early(intervals, {}, {}, {.usual_ratio = 1.1}).size(), 50U);
}

// A tachycardia that fills half of the beats counts as usual. One of that rate in sinus rhythm is early all the same.
TYPED_TEST(EarlyBeats, ARunAtTheRateOfALongTachycardia) {
  Doubles intervals;
  for (int i = 0; i < 600; ++i) intervals.push_back(150 + 2 * std::sin(0.8 * i));
  for (int part = 0; part < 4; ++part) {
    for (int i = 0; i < 100; ++i) intervals.push_back(300 + 10 * std::sin(0.8 * i));
    for (int i = 0; i < 40 && part < 3; ++i) intervals.push_back(150 + 2 * std::sin(0.8 * i));
  }
  EXPECT_GE(this->early(intervals).size(), 115U) << "three runs of 40";
  EXPECT_LT(this->early(intervals, {}, {}, {.usual_slow = 1}).size(), 60U) << "the limit, and nothing else";
}

// A block that ends: 35 beats a minute, and 75 from then on, or until the block is back. An atrial tachycardia out of
// the same slow rhythm is early.
TYPED_TEST(EarlyBeats, NotAfterASlowRhythm) {
  Doubles intervals;
  for (int i = 0; i < 100; ++i) intervals.push_back(640 + 5 * std::sin(0.8 * i));
  auto fast = intervals;
  for (int i = 0; i < 300; ++i) intervals.push_back(300 + 15 * std::sin(0.8 * i));
  EXPECT_LT(this->early(intervals).size(), 5U);
  EXPECT_GT(this->early(intervals, {}, {}, {.settled_block_bpm = 30}).size(), 250U) << "the rule, and nothing else";
  for (int i = 0; i < 100; ++i) intervals.push_back(640 + 5 * std::sin(0.8 * i));
  EXPECT_LT(this->early(intervals).size(), 5U) << "the block is back";
  for (int i = 0; i < 300; ++i) fast.push_back(170 + 2 * std::sin(0.8 * i));
  EXPECT_GT(this->early(fast).size(), 250U) << "132 a minute";
}

// In atrial fibrillation no beat stands out.
TYPED_TEST(EarlyBeats, NotInAnIrregularRhythm) {
  std::mt19937 random(3);
  Doubles intervals;
  for (int i = 0; i < 500; ++i) intervals.push_back(180 + static_cast<double>(random() % 200));
  EXPECT_LT(this->early(intervals).size(), 5U);
}

// Beats that are set aside are not early, and a pause after them makes none.
TYPED_TEST(EarlyBeats, NotBeatsThatAreSetAside) {
  auto intervals = sinus(300);
  intervals[99] = 190, intervals[100] = 410;
  Flags aside(301);
  aside[100] = 1;
  EXPECT_EQ(this->early(intervals, {}, aside), Places{});
}

// V beats between two usual ones. The sinus goes on after an interpolated V and after a couplet, so that the beat
// after them comes soon after the V, and on time after the beat before it.
TYPED_TEST(EarlyBeats, NotTheBeatAfterAnInterpolatedV) {
  auto intervals = sinus(300);
  Flags aside(301);
  intervals.insert(intervals.begin() + 100, 150);  // beat 101 is the V; beat 102 comes 300 samples after beat 100
  intervals[101] = 150;
  intervals.pop_back();
  aside[101] = 1;
  EXPECT_EQ(this->early(intervals, {}, aside), Places{});
  intervals[200] = 190, intervals[201] = 190, intervals[202] = 180;
  aside[201] = aside[202] = 1;
  EXPECT_EQ(this->early(intervals, {}, aside), Places{}) << "after a couplet";
  aside[201] = aside[202] = 0;
  EXPECT_EQ(this->early(intervals, {}, aside), (Places{201, 202, 203})) << "without V beats";
}

TYPED_TEST(EarlyBeats, AfterAVWhereTheBeatBeforeItTellsTheSame) {
  auto intervals = sinus(300);
  Flags aside(301);
  intervals[100] = 120, intervals[101] = 120, intervals[102] = 330;
  aside[101] = 1;
  EXPECT_EQ(this->early(intervals, {}, aside), Places{102}) << "240 samples after beat 100";
}

TYPED_TEST(EarlyBeats, AGapIsNoInterval) {
  auto intervals = sinus(300);
  intervals[99] = 100;
  Flags broken(300);
  broken[99] = 1;
  EXPECT_EQ(this->early(intervals, broken), Places{});
}

TYPED_TEST(EarlyBeats, OfFewBeats) {
  EXPECT_EQ(this->early({}), Places{});
  EXPECT_EQ(this->early({300}), Places{});
  EXPECT_EQ(this->early({300, 300}, {1, 1}), Places{}) << "no interval is known";
  EXPECT_EQ(this->early({300, 150, 450, 300, 300}, {}, Flags(6, 1)), Places{});
}

TYPED_TEST(EarlyBeats, NoRoundThrows) {
  EXPECT_THROW_KIND(this->early({300}, {}, {}, {.rounds = 0}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
