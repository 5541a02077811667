// Computes heart rates of lists of beats, worked by hand.
#include "app/output/heart_rate.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(HeartRates, OfTenSecondsEach) {
  const std::vector<std::int64_t> beats = {100, 200, 300, 950, 1000, 1050, 3100};
  const auto rates = heart_rates(beats, {}, 100);
  ASSERT_EQ(rates.size(), 3U) << "no interval ends from 20 to 30 s";
  EXPECT_EQ(rates[0].sample, 950);
  EXPECT_DOUBLE_EQ(rates[0].rate_bpm, 60 * 3 / 8.5);
  EXPECT_EQ(rates[1].sample, 1050);
  EXPECT_DOUBLE_EQ(rates[1].rate_bpm, 120);
  EXPECT_EQ(rates[2].sample, 3100);
  EXPECT_DOUBLE_EQ(rates[2].rate_bpm, 60 / 20.5);
}

TEST(HeartRates, LeaveOutIntervalsWithABreak) {
  const std::vector<std::int64_t> beats = {100, 200, 300, 700, 800, 1500, 1600};
  const std::vector<TimeSpan> breaks = {{300, 320}, {1550, 1560}};
  const auto rates = heart_rates(beats, breaks, 100);
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0].sample, 800) << "300 to 700 is left out";
  EXPECT_DOUBLE_EQ(rates[0].rate_bpm, 60);
  EXPECT_EQ(rates[1].sample, 1500);
  EXPECT_DOUBLE_EQ(rates[1].rate_bpm, 60 / 7.0);
  EXPECT_TRUE(heart_rates({}, {}, 100).empty());
  EXPECT_TRUE(heart_rates(std::vector<std::int64_t>{5, 5}, {}, 100).empty());
}

}  // namespace
}  // namespace beatscan
