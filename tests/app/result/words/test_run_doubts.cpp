#include "app/result/words/run_doubts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/small_result.h"

namespace beatscan {
namespace {

// A result at 75 beats a minute in which `count` beats from 80 s on are of a kind. Their intervals are `rr` samples, of
// 80 between usual beats.
RunResult result_with_run(Kind kind, std::int64_t count, double rr) {
  RunResult result = regular_result();
  auto& r_peaks = result.beats.found.r_peaks;
  std::fill_n(result.findings->kinds.begin() + 100, count, kind);
  for (std::int64_t i = 101; i < std::ssize(r_peaks); ++i)
    r_peaks[i] -= (80 - rr) * static_cast<double>(std::min(i - 100, count - 1));
  return result;
}

TEST(SmoothRuns, BeginAndEndWithoutAJump) {
  auto result = result_with_run(Kind::ventricular, 8, 80);
  EXPECT_TRUE(smooth_run_warning(result).starts_with("8 V beats in a row from 80.0 s begin and end without a jump"));
  result.beats.found.broken[97] = 1;
  EXPECT_EQ(smooth_run_warning(result), "") << "the rate before it is not known";
  EXPECT_EQ(smooth_run_warning(result_with_run(Kind::ventricular, 7, 80)), "") << "seven are few";
}

TEST(SmoothRuns, OfATachycardiaAreNone) {
  EXPECT_EQ(smooth_run_warning(result_with_run(Kind::ventricular, 20, 45)), "") << "its intervals";
  for (const std::size_t from : {100, 120}) {
    auto result = result_with_run(Kind::ventricular, 20, 80);
    for (std::size_t i = from; i < 200; ++i) result.beats.found.r_peaks[i] += 20;
    EXPECT_EQ(smooth_run_warning(result), "") << "a jump before beat " << from;
  }
}

// Captured beats within a tachycardia: the beats beside each of its runs are V, too.
TEST(SmoothRuns, BetweenOtherRunsOfVAreNone) {
  auto result = result_with_run(Kind::ventricular, 60, 80);
  for (const std::size_t capture : {112, 124, 136, 148}) result.findings->kinds[capture] = Kind::normal;
  EXPECT_EQ(smooth_run_warning(result), "");
}

TEST(SmoothRuns, OfSeveralTheLongestIsTold) {
  auto result = result_with_run(Kind::ventricular, 8, 80);
  std::fill_n(result.findings->kinds.begin() + 150, 10, Kind::ventricular);
  EXPECT_TRUE(smooth_run_warning(result).starts_with("10 V beats in a row from 120.0 s, and 1 other run, begin"));
}

// Makes the interval behind a beat longer or shorter by `samples`.
void change_interval(RunResult& result, std::size_t beat, double samples) {
  auto& r_peaks = result.beats.found.r_peaks;
  for (std::size_t i = beat + 1; i < r_peaks.size(); ++i) r_peaks[i] += samples;
}

TEST(GradualRuns, BeginAndEndWithoutAJump) {
  const auto result = result_with_run(Kind::supraventricular, 10, 70);
  EXPECT_TRUE(gradual_runs_warning(result).starts_with("10 S beats in 1 run, the first at 80.0 s, begin and end"));
  EXPECT_EQ(gradual_runs_warning(result_with_run(Kind::supraventricular, 9, 70)), "") << "one of nine";
  EXPECT_EQ(gradual_runs_warning(result_with_run(Kind::ventricular, 10, 70)), "");
  auto three = result_with_run(Kind::supraventricular, 5, 70);
  for (const int first : {120, 140}) std::fill_n(three.findings->kinds.begin() + first, 5, Kind::supraventricular);
  EXPECT_TRUE(gradual_runs_warning(three).starts_with("15 S beats in 3 runs"));
  three.findings->kinds[124] = Kind::normal;
  EXPECT_EQ(gradual_runs_warning(three), "") << "two of five, and one of four";
}

TEST(GradualRuns, OfATachycardiaAreNone) {
  auto onset = result_with_run(Kind::supraventricular, 10, 70), end = onset, beside_v = onset, in_af = onset;
  auto before_v = onset;
  before_v.findings->kinds[110] = Kind::ventricular;
  EXPECT_EQ(gradual_runs_warning(before_v), "");
  change_interval(onset, 99, -13);
  EXPECT_EQ(gradual_runs_warning(onset), "") << "67 after 80";
  change_interval(end, 109, 1);
  EXPECT_EQ(gradual_runs_warning(end), "") << "81 after 70";
  beside_v.findings->kinds[99] = Kind::ventricular;
  EXPECT_EQ(gradual_runs_warning(beside_v), "");
  in_af.rhythm->episodes.list = {{7000, 9000, EpisodeLabel::atrial_fibrillation, 20}};
  EXPECT_EQ(gradual_runs_warning(in_af), "");
}

TEST(SlowRuns, AreHardlyFasterThanTheBeatsAround) {
  EXPECT_TRUE(slow_runs_warning(result_with_run(Kind::supraventricular, 6, 60))
                  .starts_with("6 S beats in 1 run, the first at 80.0 s, are hardly faster"));
  EXPECT_EQ(slow_runs_warning(result_with_run(Kind::supraventricular, 5, 60)), "") << "five are few";
  EXPECT_EQ(slow_runs_warning(result_with_run(Kind::supraventricular, 20, 55)), "") << "109 beats a minute, after 75";
  EXPECT_EQ(slow_runs_warning(result_with_run(Kind::ventricular, 20, 60)), "");
  auto fibrillation = result_with_run(Kind::supraventricular, 20, 60);
  fibrillation.rhythm->episodes.list = {{7000, 11000, EpisodeLabel::atrial_fibrillation, 40}};
  EXPECT_EQ(slow_runs_warning(fibrillation), "");
}

TEST(SlowRuns, MayBeSlowerThan100AMinute) {
  auto result = result_with_run(Kind::supraventricular, 8, 35);
  for (double& peak : result.beats.found.r_peaks) peak *= 1.8;  // 42 a minute, and 95 in the run
  EXPECT_TRUE(slow_runs_warning(result).starts_with("8 S beats in 1 run"));
  for (double& peak : result.beats.found.r_peaks) peak /= 1.2;
  EXPECT_EQ(slow_runs_warning(result), "") << "114 a minute";
}

TEST(Turns, OfTwoRhythmsAreTold) {
  const auto with_runs = [](std::int64_t runs, std::int64_t length) {
    RunResult result = regular_result();
    for (std::int64_t run = 0; run < runs; ++run)
      for (std::int64_t i = 0; i < length; ++i) change_interval(result, 20 + 24 * run + i, -15);
    return result;
  };
  EXPECT_TRUE(turns_warning(with_runs(6, 10)).starts_with("60 N beats in 6 runs, the first at 16.6 s, begin and end"));
  EXPECT_EQ(turns_warning(with_runs(6, 8)), "") << "less than a quarter of the beats";
  EXPECT_EQ(turns_warning(regular_result()), "");
  auto early = with_runs(6, 10);
  std::ranges::fill(early.findings->kinds, Kind::supraventricular);
  EXPECT_EQ(turns_warning(early), "") << "they are told";
}

TEST(DoubleIntervals, AreTwiceAsLongAsThoseBeside) {
  auto result = regular_result();
  for (const std::size_t beat : {20, 60}) change_interval(result, beat, 80);
  EXPECT_EQ(double_intervals_warning(result), "") << "two are few";
  change_interval(result, 100, 85);
  EXPECT_TRUE(double_intervals_warning(result).starts_with(
      "3 intervals between normal beats, the first at 16.0 s, are twice as long as those beside them"));
  auto poor = result, early = result, uneven = result, gap = result, longer = result;
  poor.beats.found.quality[61] = Quality::noisy;
  EXPECT_EQ(double_intervals_warning(poor), "");
  early.findings->kinds[60] = Kind::supraventricular;
  EXPECT_EQ(double_intervals_warning(early), "") << "a pause behind an early beat";
  change_interval(uneven, 59, 20);
  EXPECT_EQ(double_intervals_warning(uneven), "");
  gap.beats.found.broken[60] = 1;
  EXPECT_EQ(double_intervals_warning(gap), "");
  change_interval(longer, 60, 13);
  EXPECT_EQ(double_intervals_warning(longer), "") << "173, and 160 is the double";
}

TEST(UnknownRuns, ComeFastAndEvenly) {
  const auto fast = result_with_run(Kind::unknown, 6, 50);
  EXPECT_TRUE(unknown_runs_warning(fast).starts_with("6 beats of kind Q in 1 run, the first at 80.0 s, come fast"));
  EXPECT_EQ(unknown_runs_warning(result_with_run(Kind::unknown, 4, 50)), "") << "four are few";
  EXPECT_EQ(unknown_runs_warning(result_with_run(Kind::unknown, 6, 62)), "") << "97 a minute";
  EXPECT_EQ(unknown_runs_warning(result_with_run(Kind::ventricular, 6, 50)), "") << "these are told";
  auto uneven = fast;
  for (const std::size_t i : {102, 104}) uneven.beats.found.r_peaks[i] += 12;
  EXPECT_EQ(unknown_runs_warning(uneven), "");
  auto mixed = result_with_run(Kind::unknown, 9, 50);
  std::fill_n(mixed.findings->kinds.begin() + 102, 4, Kind::ventricular);
  EXPECT_TRUE(unknown_runs_warning(mixed).starts_with("5 beats of kind Q in 1 run")) << "some are V";
}

TEST(UnknownRuns, OfFewBeatsHaveNoLongInterval) {
  for (const std::int64_t beats : {6, 12}) {
    auto result = result_with_run(Kind::unknown, beats, 50);
    change_interval(result, 102, 30);
    EXPECT_EQ(unknown_runs_warning(result).empty(), beats == 6) << beats;
  }
}

TEST(UnknownRuns, AreFasterThanTheUsualBeatsAround) {
  for (const double rr : {66, 71}) {  // of 80; at 65 that is 0.54 and 0.58 s
    auto result = result_with_run(Kind::unknown, 8, rr);
    for (double& peak : result.beats.found.r_peaks) peak *= 65.0 / 80;
    EXPECT_EQ(unknown_runs_warning(result).empty(), rr == 71) << rr;
  }
}

TEST(UnknownRuns, OfArtefactsAndWhatIsToldOtherwiseAreNone) {
  const auto fast = result_with_run(Kind::unknown, 6, 50);
  auto paced = fast, bumps = fast, steps = fast, left_out = fast, hidden = fast;
  paced.findings->paced.assign(200, 1);
  EXPECT_EQ(unknown_runs_warning(paced), "");
  bumps.findings->bent.assign(200, 1);
  EXPECT_EQ(unknown_runs_warning(bumps), "");
  steps.doubts.steps = {102, 103};
  EXPECT_EQ(unknown_runs_warning(steps), "");
  left_out.findings->templates[103] = -1;
  EXPECT_EQ(unknown_runs_warning(left_out), "") << "a beat without a row has no shape";
  hidden.rhythm->episodes.hidden.assign(199, 1);
  EXPECT_EQ(unknown_runs_warning(hidden), "") << "ventricular fibrillation";
}

}  // namespace
}  // namespace beatscan
