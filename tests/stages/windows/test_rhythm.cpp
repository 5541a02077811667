#include "stages/windows/rhythm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "kernels/runtime/error.h"
#include "tests/stages/windows/expected_rhythm.h"
#include "tests/support/backends.h"
#include "tests/support/beat_lists.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

using Doubles = std::vector<double>;
using Flags = std::vector<std::uint8_t>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class Context>
Rhythm rhythm_on(Context& context, const Doubles& r_peaks, const Flags& broken, const Flags& trusted,
                 const RhythmOptions& options = {}) {
  return to_host(context,
                 rhythm_of(context, from_host(context, BeatList{r_peaks, {}, {}, trusted, broken}), options, 250));
}

// Returns beats every 100 samples, one of them moved.
Doubles beats_with_one_at(std::int64_t count, std::int64_t beat, double shift) {
  Doubles r_peaks(count);
  for (std::int64_t i = 0; i < count; ++i) r_peaks[i] = 100.0 * static_cast<double>(i);
  r_peaks[beat] += shift;
  return r_peaks;
}

Flags all_of(std::int64_t count, std::uint8_t flag = 1) { return Flags(std::max<std::int64_t>(count, 0), flag); }

template <class Context>
class RhythmOf : public OnBackend<Context> {
 protected:
  Rhythm of(const Doubles& r_peaks, const Flags& broken, const Flags& trusted, const RhythmOptions& options = {}) {
    return rhythm_on(this->context(), r_peaks, broken, trusted, options);
  }
  Rhythm of(const Doubles& r_peaks, const RhythmOptions& options = {}) {
    return of(r_peaks, all_of(std::ssize(r_peaks) - 1, 0), all_of(std::ssize(r_peaks)), options);
  }
};
TYPED_TEST_SUITE(RhythmOf, Backends, BackendNames);

// A beat after a long interval is abnormal by that only if the interval is a pause.
TYPED_TEST(RhythmOf, ALongIntervalThatIsNoPause) {
  auto& context = this->context();
  auto r_peaks = beats_with_one_at(200, 100, 0);
  for (std::size_t i = 100; i < r_peaks.size(); ++i) r_peaks[i] += 1000;
  auto pauses = all_of(199, 0);
  auto beats = from_host(context, BeatList{r_peaks, {}, {}, all_of(200), all_of(199, 0)});
  const float alone = to_host(context, rhythm_of(context, beats, {}, 250)).score[100];
  beats.pauses = from_host(context, pauses);
  const float without = to_host(context, rhythm_of(context, beats, {}, 250)).score[100];
  pauses[99] = 1;
  beats.pauses = from_host(context, pauses);
  EXPECT_EQ(to_host(context, rhythm_of(context, beats, {}, 250)).score[100], alone);
  EXPECT_GT(alone, 6);
  EXPECT_LT(without, 1);
}

// All intervals but two are 100, so the spread is half of the typical one.
constexpr double kSpread = 0.025;

TYPED_TEST(RhythmOf, APrematureBeatByHand) {
  const auto found = this->of(beats_with_one_at(200, 100, -5));
  EXPECT_FLOAT_EQ(found.prev_ratio[100], 0.95f);
  EXPECT_FLOAT_EQ(found.next_ratio[100], 1.05f);
  EXPECT_FLOAT_EQ(found.prev_ratio[101], 1.05f);
  EXPECT_FLOAT_EQ(found.score[100], -std::log(0.95) / kSpread + 0.5 * std::log(1.05) / kSpread);
  EXPECT_EQ(found.score[99], 0) << "a short interval after it is no sign";
  EXPECT_EQ(found.score[101], 0) << "nor is a long one before it";
  EXPECT_EQ(found.score[50], 0);
}

// Intervals are of 100 samples, 0.4 s; the interval before beat 100 is of 800, 3.2 s.
TYPED_TEST(RhythmOf, ABeatAfterAPauseIsAbnormalByThatAlone) {
  const auto score = [this](double longer, const RhythmOptions& options, std::int64_t beat = 100, bool known = true,
                            double longer_behind = 0) {
    auto r_peaks = beats_with_one_at(200, 0, 0);
    for (std::int64_t i = 100; i < 200; ++i) r_peaks[i] += longer;
    for (std::int64_t i = 101; i < 200; ++i) r_peaks[i] += longer_behind;
    auto broken = all_of(199, 0);
    broken[99] = !known;
    return this->of(r_peaks, broken, all_of(200), options).score[beat];
  };
  EXPECT_FLOAT_EQ(score(700, {}), 6.3f) << "1.05 times 6";
  EXPECT_EQ(score(700, {}, 99), 3) << "the beat before it has half of 6";
  EXPECT_EQ(score(700, {}, 101), 0);
  EXPECT_EQ(score(700, {.pause_weight = 0}), 0);
  EXPECT_EQ(score(700, {.pause_weight = 0.25}, 100, true, 900), 3) << "a longer pause after it shows that already";
  EXPECT_FLOAT_EQ(score(700, {}, 100, true, 900), 6.3f) << "the pauses on both sides do not add up";
  EXPECT_FLOAT_EQ(score(700, {.pause_s = 3.2}), 6.3f);
  EXPECT_EQ(score(700, {.pause_s = 3.21}), 0) << "shorter";
  EXPECT_EQ(score(700, {.pause_ratio = 8.01}), 0) << "not much longer than the reference";
  EXPECT_EQ(score(700, {}, 100, false), 0) << "an interval that is not known";
}

TYPED_TEST(RhythmOf, TermsHaveACapAndWeights) {
  const auto score = [this](double shift, const RhythmOptions& options) {
    return this->of(beats_with_one_at(200, 100, shift), options).score[100];
  };
  EXPECT_EQ(score(-30, {}), 9) << "6 + half of 6";
  EXPECT_EQ(score(-30, {.cap = 4, .prev_weight = 2, .next_weight = 0.25}), 9) << "2 * 4 + 4 / 4";
  EXPECT_FLOAT_EQ(score(-5, {.prev_weight = 0, .next_weight = 1}), std::log(1.05) / kSpread);
  EXPECT_FLOAT_EQ(score(-5, {.next_weight = 0, .typical_spread = 0.4}), -std::log(0.95) / 0.2);
}

TYPED_TEST(RhythmOf, RegularIsNearTheMedianBeforeAndAfter) {
  Flags expected = all_of(200);
  expected.front() = expected.back() = 0;  // one interval is not known
  EXPECT_EQ(this->of(beats_with_one_at(200, 100, -13)).regular, expected) << "log(0.87) is -0.139";
  expected[99] = expected[100] = 0;
  EXPECT_EQ(this->of(beats_with_one_at(200, 100, -15)).regular, expected) << "log(0.85) is -0.163, log(1.15) 0.140";
  expected[101] = 0;
  EXPECT_EQ(this->of(beats_with_one_at(200, 100, -17)).regular, expected) << "log(1.17) is 0.157";
}

TYPED_TEST(RhythmOf, NothingIsKnownOverAGap) {
  const auto r_peaks = beats_with_one_at(200, 100, -30);
  Flags broken = all_of(199, 0);
  broken[99] = broken[100] = 1;
  const auto found = this->of(r_peaks, broken, all_of(200), {});
  for (const int beat : {100, 101}) EXPECT_TRUE(std::isnan(found.prev_ratio[beat])) << beat;
  for (const int beat : {99, 100}) EXPECT_TRUE(std::isnan(found.next_ratio[beat])) << beat;
  EXPECT_EQ(found.score, std::vector<float>(200, 0.0f));
  for (const int beat : {99, 100, 101}) EXPECT_EQ(found.regular[beat], 0) << beat;
  EXPECT_TRUE(std::isnan(found.prev_ratio.front()));
  EXPECT_TRUE(std::isnan(found.next_ratio.back()));
}

TYPED_TEST(RhythmOf, FewRegularBeatsRepresentNothing) {
  Flags trusted = all_of(52);
  EXPECT_EQ(std::ranges::count(this->of(beats_with_one_at(52, 0, 0)).regular, 1), kFewRegular) << "all but the ends";
  EXPECT_EQ(this->of(beats_with_one_at(51, 0, 0)).regular, all_of(51)) << "49 are too few";
  trusted[7] = 0;
  EXPECT_EQ(this->of(beats_with_one_at(52, 0, 0), all_of(51, 0), trusted, {}).regular, trusted);
}

// In an endless bigeminy no beat is regular by itself. Premature beats, which precede the pauses, are not made regular,
// however many beats there are.
TYPED_TEST(RhythmOf, PrematureBeatsOfABigeminyAreNotRegular) {
  for (const std::int64_t count : {40, 1000}) {
    Doubles r_peaks;
    Flags expected;
    for (std::int64_t i = 0; i < count; ++i) {
      r_peaks.push_back(static_cast<double>(100 * i - (i % 2 ? 30 : 0)));
      expected.push_back(i % 2 == 0);
    }
    expected.back() = 1;  // the interval after it is not known
    EXPECT_EQ(this->of(r_peaks).regular, expected) << count;
  }
  EXPECT_EQ(this->of({0, 70, 200, 270, 400}).regular, all_of(5)) << "three would be too few";
}

// Intervals of trigeminy, with an interpolated extrasystole, and of atrial fibrillation do not alternate.
TYPED_TEST(RhythmOf, WhereIntervalsDoNotAlternateAllBeatsCount) {
  std::mt19937 random(1);
  Doubles trigeminy{0}, random_ones{0};
  for (int i = 0; i < 600; ++i) {
    trigeminy.push_back(trigeminy.back() + std::array{110, 50, 62}[i % 3]);
    random_ones.push_back(random_ones.back() + 50 + static_cast<double>(random() % 100));
  }
  EXPECT_EQ(this->of(trigeminy).regular, all_of(601));
  EXPECT_EQ(this->of({random_ones.begin(), random_ones.begin() + 40}).regular, all_of(40));
}

// Some beats are regular by chance, but too few of all.
TYPED_TEST(RhythmOf, ATenthOfAllBeatsIsEnough) {
  for (const int even : {90, 120}) {
    Doubles r_peaks{0};
    for (int i = 0; i < 1000; ++i) r_peaks.push_back(r_peaks.back() + (i < even ? 100 : i % 2 ? 130 : 70));
    const auto regular = this->of(r_peaks).regular;
    const auto later = std::ranges::count(regular.begin() + 500, regular.end(), 1);
    EXPECT_EQ(later, even < 100 ? 251 : 0) << "the last one counts, too";
  }
}

// Beats that are not trusted do not count in the scale. Here they are the majority, and their intervals all differ.
TYPED_TEST(RhythmOf, UntrustedBeatsAreNotRegular) {
  auto r_peaks = beats_with_one_at(300, 0, 0);
  Flags trusted = all_of(300);
  std::mt19937 random(3);
  for (int i = 120; i < 300; ++i) {
    r_peaks[i] += static_cast<double>(random() % 20);
    trusted[i] = 0;
  }
  const auto found = this->of(r_peaks, all_of(299, 0), trusted, {.reference_quantile = 0.5});
  EXPECT_EQ(std::ranges::count(found.regular.begin() + 120, found.regular.end(), 1), 0);
  r_peaks[50] -= 5;
  const auto early = this->of(r_peaks, all_of(299, 0), trusted, {.reference_quantile = 0.5});
  EXPECT_NEAR(early.score[50], -std::log(0.95) / kSpread + 0.5 * std::log(1.05) / kSpread, 1e-4);
}

TYPED_TEST(RhythmOf, OfFewBeats) {
  const auto none = this->of({});
  EXPECT_TRUE(none.score.empty() && none.prev_ratio.empty() && none.next_ratio.empty() && none.regular.empty());
  const auto one = this->of({5});
  EXPECT_TRUE(std::isnan(one.prev_ratio[0]) && std::isnan(one.next_ratio[0]));
  EXPECT_EQ(one.score, (std::vector<float>{0}));
  EXPECT_EQ(this->of({5, 105}).next_ratio[0], 1);
  Flags broken = {1};
  EXPECT_EQ(this->of(Doubles{5, 105}, broken, all_of(2), {}).score, (std::vector<float>{0, 0}));
}

// --- comparison with the definition ---

// The counts are around multiples of 2,048 beats, which is the number that a thread takes; it finds its first window
// again.
TYPED_TEST(RhythmOf, MatchesItsDefinition) {
  for (const std::int64_t count : {1, 2, 3, 60, 4095, 4096, 4097, 8000})
    for (const int reach : {1, 5, 150}) {
      if (left_out()) continue;
      const auto seed = static_cast<unsigned>(count + reach);
      SCOPED_TRACE(testing::Message() << "count=" << count << " seed=" << seed << " reach=" << reach);
      const auto beats = random_beats(count, seed);
      const RhythmOptions options{.reference_beats = reach};
      const auto found = this->of(beats.r_peaks, beats.broken, beats.trusted, options);
      const auto expected = expected_rhythm(beats, options);
      EXPECT_EQ(found.regular, expected.regular);
      for (std::int64_t i = 0; i < count; ++i) {
        if (std::isnan(expected.prev_ratio[i])) {
          ASSERT_TRUE(std::isnan(found.prev_ratio[i])) << i;
        } else {
          ASSERT_FLOAT_EQ(found.prev_ratio[i], expected.prev_ratio[i]) << i;
        }
        if (std::isnan(expected.next_ratio[i])) {
          ASSERT_TRUE(std::isnan(found.next_ratio[i])) << i;
        } else {
          ASSERT_FLOAT_EQ(found.next_ratio[i], expected.next_ratio[i]) << i;
        }
        ASSERT_NEAR(found.score[i], expected.score[i], 1e-5) << i;  // float32 sums of two terms up to 6
      }
    }
}

// Property: only ratios of times count. The factor is a power of two, which keeps every digit.
TYPED_TEST(RhythmOf, TheSamplingRateDoesNotMatter) {
  const auto beats = random_beats(500, 5);
  auto faster = beats.r_peaks;
  for (double& at : faster) at = 4 * at + 4096;
  const auto found = this->of(faster, beats.broken, beats.trusted, {});
  const auto expected = this->of(beats.r_peaks, beats.broken, beats.trusted, {});
  EXPECT_EQ(found.score, expected.score);
  EXPECT_EQ(found.regular, expected.regular);
}

TEST(RhythmOfThreads, SameForAnyNumberOfThreads) {
  const auto beats = random_beats(20'000, 6);
  Cpu one_thread(1), four_threads(4);
  const auto one = rhythm_on(one_thread, beats.r_peaks, beats.broken, beats.trusted);
  const auto four = rhythm_on(four_threads, beats.r_peaks, beats.broken, beats.trusted);
  EXPECT_EQ(one.score, four.score);
  EXPECT_EQ(one.regular, four.regular);
}

TYPED_TEST(RhythmOf, RefusesBadShapes) {
  EXPECT_THROW_KIND(this->of(Doubles{1, 2, 3}, all_of(3, 0), all_of(3), {}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of(Doubles{1, 2, 3}, all_of(2, 0), all_of(2), {}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of(Doubles{}, all_of(1, 0), all_of(0), {}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
