#include <gtest/gtest.h>

#include <cmath>

#include "app/report/sections/timeline.h"
#include "app/report/stored/stored_result.h"
#include "app/report/words/reasons.h"
#include "kernels/beats/quality_class.h"

namespace beatscan {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// Returns a result of beats at 100 Hz that are this many samples apart.
StoredResult result_with(const std::vector<std::int64_t>& intervals) {
  StoredResult result;
  result.rate_hz = 100;
  auto& beats = result.beats;
  std::int64_t at = 0;
  for (std::size_t i = 0; i <= intervals.size(); ++i) {
    beats.sample.push_back(at);
    beats.rr_next.push_back(i < intervals.size() ? static_cast<float>(intervals[i]) / 100 : kNone);
    if (i < intervals.size()) at += intervals[i];
  }
  result.samples = at + 1;
  beats.kept.assign(beats.sample.size(), 1);
  beats.anomalous.assign(beats.sample.size(), 0);
  beats.quality.assign(beats.sample.size(), Quality::good);
  for (auto* column : {&beats.score, &beats.rhythm_score, &beats.baseline_score, &beats.learned_score,
                       &beats.prev_ratio, &beats.next_ratio})
    column->assign(beats.sample.size(), kNone);
  return result;
}

TEST(ReportTimeline, WindowsHoldEveryBeatOnce) {
  auto result = result_with(std::vector<std::int64_t>(300, 70));  // 210 s
  result.beats.anomalous[0] = result.beats.anomalous[150] = result.beats.anomalous[300] = 1;
  result.beats.kept[1] = 0;
  const auto windows = windows_of(result, 60);
  ASSERT_EQ(windows.size(), 4u);
  EXPECT_DOUBLE_EQ(windows[3].to, 210.01);
  std::int64_t beats = 0, scored = 0, abnormal = 0;
  for (const auto& window : windows) beats += window.beats, scored += window.scored, abnormal += window.abnormal;
  EXPECT_EQ(beats, 301);
  EXPECT_EQ(scored, 300);
  EXPECT_EQ(abnormal, 3);
  EXPECT_EQ(windows[0].beats, 86);  // at 0, 0.7, … 59.5 s
  EXPECT_EQ(windows[1].abnormal, 1);
}

TEST(ReportTimeline, RatesOfAnEvenRhythm) {
  for (const auto& window : windows_of(result_with(std::vector<std::int64_t>(300, 75)), 60)) {
    EXPECT_NEAR(window.mean_rate, 80, 1e-3);
    EXPECT_NEAR(window.slowest, 80, 1e-3);
    EXPECT_NEAR(window.fastest, 80, 1e-3);
  }
}

TEST(ReportTimeline, OneEarlyBeatIsNoFastHeart) {
  std::vector<std::int64_t> intervals(40, 100);
  intervals[20] = 40, intervals[21] = 160;  // an early beat, and the pause after it
  const auto windows = windows_of(result_with(intervals), 1000);
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_NEAR(windows[0].mean_rate, 60, 1e-3);
  EXPECT_NEAR(windows[0].fastest, 60 * 8 / 7.4, 1e-3);
  EXPECT_NEAR(windows[0].slowest, 60 * 8 / 8.6, 1e-3);
}

TEST(ReportTimeline, IntervalsInARowDoNotReachOverAGap) {
  auto result = result_with(std::vector<std::int64_t>(11, 100));
  result.beats.rr_next[6] = kNone;  // there are six intervals before it and four after it, never eight in a row
  const auto windows = windows_of(result, 1000);
  EXPECT_NEAR(windows[0].mean_rate, 60, 1e-3);
  EXPECT_TRUE(std::isnan(windows[0].slowest));
  EXPECT_TRUE(std::isnan(windows[0].fastest));
}

TEST(ReportTimeline, PoorSignalIsSharedAmongItsWindows) {
  auto result = result_with(std::vector<std::int64_t>(30, 100));  // 30.01 s
  result.poor = {{8, 14, Quality::noisy}, {29, 30.01, Quality::flat}};
  const auto windows = windows_of(result, 10);
  ASSERT_EQ(windows.size(), 4u);
  EXPECT_NEAR(windows[0].poor, 0.2, 1e-9);
  EXPECT_NEAR(windows[1].poor, 0.4, 1e-9);
  EXPECT_NEAR(windows[2].poor, 0.1, 1e-9);
  EXPECT_NEAR(windows[3].poor, 1, 1e-9);
}

TEST(ReportTimeline, WithoutARateThereAreSamplesAndNoHeartRate) {
  auto result = result_with(std::vector<std::int64_t>(30, 100));
  result.rate_hz.reset();
  EXPECT_DOUBLE_EQ(window_width(result, 10), 500);
  const auto windows = windows_of(result, 500);
  EXPECT_EQ(windows[0].beats, 5);
  EXPECT_TRUE(std::isnan(windows[0].mean_rate));
}

TEST(ReportTimeline, WidthsAreRound) {
  auto result = result_with({});
  result.samples = 100 * 80000;
  EXPECT_DOUBLE_EQ(window_width(result, 160), 600);
  EXPECT_DOUBLE_EQ(window_width(result, 24), 3600);
  result.samples = 100 * 86400 * 30;
  EXPECT_DOUBLE_EQ(window_width(result, 160), 5 * 3600);
}

// Returns the reason of a beat with these values, whose row is `row`. The median beat is {0, 1, 0, -1}.
Reason reason_for(float waveform, float rhythm, float prev_ratio, float next_ratio, const std::vector<float>& row,
                  Quality quality = Quality::good) {
  StoredResult result = result_with({100, 100});
  result.beats.score[1] = waveform + rhythm;
  result.beats.rhythm_score[1] = rhythm;
  result.beats.prev_ratio[1] = prev_ratio;
  result.beats.next_ratio[1] = next_ratio;
  result.beats.quality[1] = quality;
  result.arrays.strip_beats = {{1}, {1}};
  result.arrays.rows = {{1, 4}, row};
  result.arrays.reference = {{2, 4}, {0, 1, 0, -1, 1, 1, 1, 1}};
  return reason_of(result, 0);
}

TEST(ReportReasons, RhythmAlone) {
  const auto reason = reason_for(0.5f, 8, 0.66f, 1.3f, {0, 1, 0, -1});
  EXPECT_TRUE(reason.rhythm);
  EXPECT_FALSE(reason.waveform);
  EXPECT_EQ(reason.words, "34 % premature; next RR interval 30 % longer");
}

TEST(ReportReasons, WaveformAlone) {
  const auto reason = reason_for(9, 0, 1, 1, {1, 0, -1, 0});
  EXPECT_FALSE(reason.rhythm);
  EXPECT_TRUE(reason.waveform);
  EXPECT_EQ(reason.words, "dissimilar to the median beat (correlation\u00a00.00)");
}

TEST(ReportReasons, Shapes) {
  const auto words = [](const std::vector<float>& row) { return reason_for(9, 0, 1, 1, row).words; };
  EXPECT_EQ(words({0, -2, 0, 2}), "inverted against the median beat (correlation\u00a0−1.00)");
  EXPECT_EQ(words({5, 8, 5, 2}), "3.0 times the size of the median beat");
  EXPECT_EQ(words({0, 1, 0, -1}), "similar to the median beat (correlation\u00a01.00)");
  EXPECT_EQ(words({0, 0, 0, 0}), "dissimilar to the median beat (correlation\u00a00.00)");
}

TEST(ReportReasons, BothAndThePoorSignal) {
  const auto reason = reason_for(5, 5, 0.5f, kNone, {1, 0, -1, 0}, Quality::noisy);
  EXPECT_TRUE(reason.rhythm);
  EXPECT_TRUE(reason.waveform);
  EXPECT_EQ(reason.words, "50 % premature; dissimilar to the median beat (correlation\u00a00.00); in noisy signal");
}

TEST(ReportReasons, ThePublishedMethodKnowsShapesAlone) {
  const auto reason = reason_for(5, kNone, kNone, kNone, {1, 0, -1, 0});
  EXPECT_FALSE(reason.rhythm);
  EXPECT_TRUE(reason.waveform);
}

}  // namespace
}  // namespace beatscan
