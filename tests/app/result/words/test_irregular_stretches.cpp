#include "app/result/words/irregular_stretches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "app/result/words/rate_warnings.h"
#include "tests/support/small_result.h"

namespace beatscan {
namespace {

// A result at 75 beats a minute whose intervals from 80 s on are others, in samples of 0.01 s.
RunResult result_with(std::int64_t count, const std::function<double(std::int64_t)>& interval) {
  RunResult result = regular_result();
  auto& r_peaks = result.beats.found.r_peaks;
  for (std::int64_t i = 100; i + 1 < std::ssize(r_peaks); ++i)
    r_peaks[i + 1] = r_peaks[i] + (i - 100 < count ? interval(i - 100) : 80);
  return result;
}

RunResult result_with_fibrillation(std::int64_t count) {
  std::mt19937 random(3);
  return result_with(count, [&](std::int64_t) { return 55 + static_cast<double>(random() % 50); });
}

TEST(IrregularStretches, OfABriefFibrillation) {
  const auto warning = irregular_stretches_warning(result_with_fibrillation(32));
  EXPECT_TRUE(warning.starts_with("1 stretch of 24 intervals, at 79.2 s, comes")) << warning;
  EXPECT_NE(irregular_stretches_warning(result_with_fibrillation(75)).find(" stretches of 24 intervals, the first at "),
            std::string::npos);
  EXPECT_EQ(irregular_stretches_warning(result_with_fibrillation(10)), "");
  EXPECT_EQ(irregular_stretches_warning(regular_result()), "");
}

TEST(IrregularStretches, WithAPatternAreNone) {
  const auto bigeminy = [](std::int64_t i) { return i % 2 ? 105.0 : 55.0; };
  const auto trigeminy = [](std::int64_t i) { return i % 3 == 0 ? 55.0 : i % 3 == 1 ? 105.0 : 80.0; };
  const auto breathing = [](std::int64_t i) { return 80 + 16 * std::sin(1.3 * static_cast<double>(i)); };
  EXPECT_EQ(irregular_stretches_warning(result_with(60, bigeminy)), "");
  EXPECT_EQ(irregular_stretches_warning(result_with(60, trigeminy)), "");
  EXPECT_EQ(irregular_stretches_warning(result_with(60, breathing)), "");
}

// Tests two intervals in no order, as where every other beat is blocked now and then.
TEST(IrregularStretches, OfTwoIntervalsAreNone) {
  std::mt19937 random(3);
  EXPECT_EQ(irregular_stretches_warning(result_with(60, [&](std::int64_t) { return random() % 2 ? 60.0 : 105.0; })),
            "");
}

TEST(IrregularStretches, TakeLessThanAMinute) {
  auto result = result_with_fibrillation(34);
  result.beats.found.broken[120] = 1;
  EXPECT_NE(irregular_stretches_warning(result), "");
  for (std::size_t i = 121; i < 200; ++i) result.beats.found.r_peaks[i] += 5000;
  EXPECT_EQ(irregular_stretches_warning(result), "");
}

TEST(IrregularStretches, OfOtherBeatsAreNone) {
  auto poor = result_with_fibrillation(32), ventricular = poor, told = poor, gaps = poor;
  std::fill_n(poor.beats.found.quality.begin() + 100, 40, Quality::noisy);
  EXPECT_EQ(irregular_stretches_warning(poor), "");
  for (std::size_t i = 100; i < 140; i += 5) ventricular.findings->kinds[i] = Kind::ventricular;
  EXPECT_EQ(irregular_stretches_warning(ventricular), "");
  told.rhythm->episodes.list = {{7990, 10700, EpisodeLabel::atrial_fibrillation, 30}};
  EXPECT_EQ(irregular_stretches_warning(told), "");
  for (std::size_t i = 103; i < 140; i += 6) gaps.beats.found.broken[i] = 1;
  EXPECT_EQ(irregular_stretches_warning(gaps), "");
}

// The share of all steps tells of a rhythm that is irregular throughout.
TEST(IrregularStretches, StandBackWhereTheWholeIsIrregular) {
  const auto says = [](const RunResult& result, const std::string& words) {
    return std::ranges::any_of(rate_warnings(result),
                               [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  EXPECT_TRUE(says(result_with_fibrillation(32), "of 24 intervals"));
  EXPECT_FALSE(says(result_with_fibrillation(90), "of 24 intervals"));
  EXPECT_TRUE(says(result_with_fibrillation(90), "the rhythm is irregular"));
}

TEST(Variability, OfAnIrregularRhythmIsDoubted) {
  RunResult result = regular_result();
  result.rhythm->hrv.pairs = 100;
  result.rhythm->hrv.jumps = 10;
  EXPECT_EQ(variability_warning(result), "");
  result.rhythm->hrv.jumps = 11;
  EXPECT_TRUE(
      variability_warning(result).starts_with("heart rate variability (RMSSD, SDNN, LF, HF) may not be that of sinus "
                                              "rhythm alone: 11.0 % of the intervals"));
  result.rhythm->hrv.pairs = 19;
  EXPECT_EQ(variability_warning(result), "") << "too few";
}

}  // namespace
}  // namespace beatscan
