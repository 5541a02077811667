#include "stages/waves/wave_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "stages/waves/waves.h"

namespace beatscan {
namespace {

constexpr float kAbsent = std::numeric_limits<float>::quiet_NaN();
constexpr double kRateHz = 100;

// One beat a second for two hours and a half; those of the second hour have no P wave and a long QT interval.
class WaveSummaries : public testing::Test {
 protected:
  WaveSummaries() {
    found_.leads = {0, 2};
    for (std::int64_t beat = 0; beat < 9000; ++beat) {
      const bool second = beat / 3600 == 1;
      const float p = second ? kAbsent : -40;
      for (const float value : {p, p + 8, p + 16, -10.0F, 0.0F, 12.5F, 40.0F, 60.0F, second ? 110.0F : 90.0F})
        found_.fiducials.push_back(value);
      found_.qtc_ms.push_back(second ? 480.0F : 400.0F);
      found_.p_evidence.push_back(second ? 0.0F : 1.0F);
      r_peaks_.push_back(static_cast<double>(beat) * kRateHz);
    }
    found_.lead_amplitudes.assign(2 * 9000 * waves::kAmplitudes, 0.1F);
    std::fill(found_.lead_amplitudes.begin() + 9000 * waves::kAmplitudes, found_.lead_amplitudes.end(), kAbsent);
    good_.assign(9000, 1);
  }
  WaveSummary summary() const { return summary_of(found_, r_peaks_, good_, kRateHz, 900'000); }

  BeatWaves found_;
  std::vector<double> r_peaks_;
  std::vector<std::uint8_t> good_;
};

TEST_F(WaveSummaries, HaveMediansOfAllAndOfHours) {
  const auto found = summary();
  EXPECT_EQ(found.all.beats, 9000);
  EXPECT_DOUBLE_EQ(found.all.pr, 120);
  EXPECT_DOUBLE_EQ(found.all.qrs, 90);
  EXPECT_DOUBLE_EQ(found.all.qt, 400);
  EXPECT_DOUBLE_EQ(found.all.p_share, 0.6);
  ASSERT_EQ(found.all.st_mv.size(), 2U);
  EXPECT_FLOAT_EQ(found.all.st_mv[0], 0.1F);
  EXPECT_TRUE(std::isnan(found.all.st_mv[1]));
  ASSERT_EQ(found.hours.size(), 3U);
  EXPECT_DOUBLE_EQ(found.hours[1].qt, 480);
  EXPECT_TRUE(std::isnan(found.hours[1].pr));
  EXPECT_DOUBLE_EQ(found.hours[1].p_share, 0);
  EXPECT_EQ(found.hours[2].beats, 1800);
}

TEST_F(WaveSummaries, NameTheMinuteWithTheLongestQtc) {
  for (std::int64_t beat = 4200; beat < 4260; ++beat) found_.qtc_ms[beat] = 520;
  found_.qtc_ms[100] = 900;  // one beat is no minute
  const auto longest = summary().longest_qtc;
  ASSERT_TRUE(longest);
  EXPECT_DOUBLE_EQ(longest->qtc_ms, 520);
  EXPECT_DOUBLE_EQ(longest->begin_s, 4200);
}

TEST_F(WaveSummaries, LeaveBeatsInBadSignalOut) {
  for (std::int64_t beat = 3600; beat < 7200; ++beat) good_[beat] = 0;
  const auto found = summary();
  EXPECT_EQ(found.all.beats, 5400);
  EXPECT_DOUBLE_EQ(found.all.p_share, 1);
  EXPECT_TRUE(std::isnan(found.hours[1].qt));
  good_.assign(9000, 0);
  EXPECT_FALSE(summary().longest_qtc);
  EXPECT_TRUE(std::isnan(summary().all.qt));
}

TEST_F(WaveSummaries, CountNonConductedPWaves) {
  found_.non_conducted = {{10, 1050, 1060}, {4000, 400'050, 400'060}, {8999, 899'950, 899'960}};
  const auto found = summary();
  EXPECT_EQ(found.all.non_conducted, 3);
  EXPECT_EQ(found.hours[0].non_conducted, 1);
  EXPECT_EQ(found.hours[1].non_conducted, 1);
  EXPECT_EQ(found.hours[2].non_conducted, 1);
}

}  // namespace
}  // namespace beatscan
