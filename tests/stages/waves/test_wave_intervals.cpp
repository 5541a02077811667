#include "stages/waves/wave_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace beatscan {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(WaveIntervals, AreDistancesOfFiducialsInMilliseconds) {
  const std::vector<float> fiducials{-45, -35, -25, -10, 0, 14.5F, 40, 70, 90};
  const auto found = wave_intervals(fiducials);
  EXPECT_FLOAT_EQ(found.pr, 140);
  EXPECT_FLOAT_EQ(found.qrs, 98);
  EXPECT_FLOAT_EQ(found.qt, 400);
}

TEST(WaveIntervals, AreAbsentWithoutAWave) {
  const auto no_p = wave_intervals(std::vector<float>{kNan, kNan, kNan, -10, 0, 15, kNan, kNan, kNan});
  EXPECT_TRUE(std::isnan(no_p.pr));
  EXPECT_FLOAT_EQ(no_p.qrs, 100);
  EXPECT_TRUE(std::isnan(no_p.qt));
}

// At 60 beats a minute all corrections leave QT as it is; at 240 the values are worked by hand.
TEST(CorrectedQt, FollowsTheFormulas) {
  for (const auto correction :
       {QtCorrection::bazett, QtCorrection::fridericia, QtCorrection::framingham, QtCorrection::hodges})
    EXPECT_DOUBLE_EQ(corrected_qt(400, 1, correction), 400);
  EXPECT_DOUBLE_EQ(corrected_qt(240, 0.25, QtCorrection::bazett), 480);
  EXPECT_NEAR(corrected_qt(240, 0.125, QtCorrection::fridericia), 480, 1e-9);
  EXPECT_DOUBLE_EQ(corrected_qt(240, 0.25, QtCorrection::framingham), 355.5);
  EXPECT_DOUBLE_EQ(corrected_qt(240, 0.5, QtCorrection::hodges), 345);
}

TEST(CorrectedQt, NeedsAnInterval) {
  EXPECT_TRUE(std::isnan(corrected_qt(400, std::nan(""), QtCorrection::bazett)));
  EXPECT_TRUE(std::isnan(corrected_qt(400, 0, QtCorrection::bazett)));
  EXPECT_TRUE(std::isnan(corrected_qt(std::nan(""), 1, QtCorrection::hodges)));
}

TEST(LocalRr, IsTheMedianOfUnbrokenIntervalsNearby) {
  const std::vector<double> r_peaks{0, 250, 500, 1500, 1700};
  EXPECT_EQ(local_rr_s(r_peaks, std::vector<std::uint8_t>{0, 0, 1, 0}, 250), std::vector<double>(5, 1.0));
  const auto broken = local_rr_s(r_peaks, std::vector<std::uint8_t>{1, 1, 1, 1}, 250);
  for (const double rr_s : broken) EXPECT_TRUE(std::isnan(rr_s));
  EXPECT_TRUE(std::isnan(local_rr_s(std::vector<double>{5}, {}, 250)[0]));
}

}  // namespace
}  // namespace beatscan
