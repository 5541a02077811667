// Determines the rate by the times of rows, and where they jump.
#include "stages/io/csv/time_axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace beatscan {
namespace {

using Times = std::vector<double>;

Times even(std::int64_t rows, double hz, double start = 0) {
  Times times;
  for (std::int64_t row = 0; row < rows; ++row) times.push_back(start + static_cast<double>(row) / hz);
  return times;
}
Times rounded(Times times, double unit) {
  for (double& time : times) time = std::round(time / unit) * unit;
  return times;
}
// Leaves out rows [first, first + count).
Times without(Times times, std::int64_t first, std::int64_t count) {
  times.erase(times.begin() + first, times.begin() + first + count);
  return times;
}

struct Found {
  double hz;
  std::vector<std::pair<std::int64_t, std::int64_t>> missing;
};
Found found(Times times) {
  const TimeAxis axis = time_axis(times, 1);
  Found result{axis.rate_hz, {}};
  for (const auto& gap : axis.missing) result.missing.push_back({gap.before_row, gap.samples});
  return result;
}
using Gaps = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(TimeAxis, DeterminesTheRate) {
  for (const double hz : {60.0, 128.0, 250.0, 360.0, 499.31, 500.0, 1000.0, 8000.0})
    for (const std::int64_t rows : {2, 3, 10, 1000, 100'000}) {
      SCOPED_TRACE(testing::Message() << hz << " Hz, " << rows << " rows");
      const auto axis = found(even(rows, hz, 1e6));
      EXPECT_NEAR(axis.hz, hz, 1e-6 * hz);
      EXPECT_TRUE(axis.missing.empty());
    }
}

// Times may be coarser than rows: 360 Hz in milliseconds, 250 Hz in seconds, packets of ten rows.
TEST(TimeAxis, CoarseTimesDetermineTheRate) {
  for (const auto& [hz, unit] :
       {std::pair{360.0, 1e-3}, {499.31, 1e-3}, {250.0, 0.01}, {250.0, 1.0}, {128.0, 10 / 128.0}}) {
    SCOPED_TRACE(testing::Message() << hz << " Hz in units of " << unit);
    const auto axis = found(rounded(even(200'000, hz), unit));
    EXPECT_NEAR(axis.hz, hz, 0.003 * hz / std::sqrt(200'000 * 0.001 / (hz * unit)));
    EXPECT_TRUE(axis.missing.empty());
  }
  EXPECT_EQ(found(rounded(even(200'000, 360), 1e-3)).hz, 360);
  EXPECT_NEAR(found(rounded(even(200'000, 499.31), 1e-3)).hz, 499.31, 0.002);
}

// The first and the last step of a coarse clock are cut short. They count in no rate.
TEST(TimeAxis, ShortCoarseTimesDetermineTheRate) {
  const auto whole_seconds = [](std::int64_t rows) {
    Times times = even(rows, 360, 0.4);
    for (double& time : times) time = std::floor(time + 1e-9);
    return times;
  };
  for (const std::int64_t rows : {1500, 3600, 10'800, 43'200}) {
    SCOPED_TRACE(rows);
    EXPECT_EQ(found(whole_seconds(rows)).hz, 360);
    EXPECT_TRUE(found(whole_seconds(rows)).missing.empty());
  }
  EXPECT_EQ(found(without(whole_seconds(43'200), 14'400, 3600)).hz, 360) << "10 s are missing";
}

TEST(TimeAxis, APlainRateIsWholeWhereItIsCloseToThat) {
  EXPECT_EQ(plain_rate(359.9999), 360);
  EXPECT_EQ(plain_rate(500.049), 500);
  EXPECT_EQ(plain_rate(500.06), 500.06);
  EXPECT_EQ(plain_rate(499.3100000002), 499.31);
  EXPECT_EQ(plain_rate(156.25), 156.25);
  EXPECT_EQ(plain_rate(0.25), 0.25);
}

TEST(TimeAxis, FindsMissingRows) {
  for (const double unit : {0.0, 1e-3})
    for (const std::int64_t count : {1, 2, 3, 10, 1000, 90'000}) {
      SCOPED_TRACE(testing::Message() << count << " rows, times in units of " << unit);
      Times times = even(100'000, 360);
      if (unit > 0) times = rounded(times, unit);
      EXPECT_EQ(found(without(times, 5000, count)).missing, (Gaps{{5000, count}}));
      EXPECT_EQ(found(without(times, 5000, count)).hz, 360);
    }
  EXPECT_EQ(found(without(without(even(1000, 250), 500, 7), 490, 3)).missing, (Gaps{{490, 3}, {497, 7}}));
  EXPECT_EQ(found(without(without(even(1000, 250), 501, 7), 499, 1)).missing, (Gaps{{499, 1}, {500, 7}}));
  EXPECT_EQ(found(without(even(1000, 250), 1, 5)).missing, (Gaps{{1, 5}}));
  EXPECT_EQ(found(without(even(1000, 250), 994, 5)).missing, (Gaps{{994, 5}}));
}

// Packets of 10 rows have one time each. The place of a packet that was lost is found to a few rows.
TEST(TimeAxis, FindsPacketsThatWereLost) {
  const auto gaps = found(without(rounded(even(10'000, 250), 0.04), 5015, 20)).missing;
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_NEAR(gaps[0].first, 5015, 10);
  EXPECT_NEAR(gaps[0].second, 20, 3);
}

// Single rows that come late are late and not missing.
TEST(TimeAxis, JitterIsNoGap) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> jitter(0, 0.9 / 250);
  Times times = even(50'000, 250);
  for (double& time : times) time += jitter(random);
  const auto axis = found(times);
  EXPECT_NEAR(axis.hz, 250, 0.5);
  EXPECT_LT(axis.missing.size(), 50u) << "a thousandth";
  const auto gaps = found(without(times, 20'000, 30)).missing;
  EXPECT_NE(std::ranges::find_if(gaps, [](auto gap) { return gap.first == 20'000 && std::abs(gap.second - 30) <= 1; }),
            gaps.end());
}

TEST(TimeAxis, NamesTheFirstStepBackAndTheFirstRepeat) {
  Times back = even(1000, 250);
  std::swap(back[600], back[601]);
  EXPECT_EQ(time_axis(back, 1).first_step_back, 601);
  Times again = even(1000, 250);
  again.insert(again.begin() + 300, again[299]);
  again.insert(again.begin() + 700, again[699]);
  const TimeAxis axis = time_axis(again, 1);
  EXPECT_EQ(axis.first_step_back, TimeAxis::kNone);
  EXPECT_EQ(axis.first_repeat, 300);
  EXPECT_EQ(axis.repeats, 2);
  Times coarse = rounded(even(1000, 250), 0.1);
  EXPECT_EQ(time_axis(coarse, 1).repeats, 0) << "times are coarser than rows";
}

TEST(TimeAxis, UnknownTimesAreFilledIn) {
  Times times = even(1000, 250);
  for (const int row : {0, 1, 2, 100, 500, 501, 502, 998, 999}) times[row] = NAN;
  auto axis = found(times);
  EXPECT_EQ(axis.hz, 250);
  EXPECT_TRUE(axis.missing.empty());
  axis = found(without(times, 700, 50));
  EXPECT_EQ(axis.missing, (Gaps{{700, 50}})) << "rows are counted from the first, known or not";
}

TEST(TimeAxis, WithoutTimesHasNoRate) {
  for (Times times : {Times{}, Times{1}, Times{NAN, NAN}, Times{1, NAN}, Times{5, 5, 5, 5}, Times{0, 1e-310, 2e-310},
                      Times{0, 1e300, 2e300}}) {
    const TimeAxis axis = time_axis(times, 1);
    EXPECT_EQ(axis.rate_hz, 0);
    EXPECT_TRUE(axis.missing.empty());
  }
}

TEST(TimeAxis, AJumpOfAnySizeHasANumber) {
  for (const double jump : {1e12, 1e300}) {
    Times times = even(1000, 250);
    for (std::size_t row = 500; row < times.size(); ++row) times[row] += jump;
    const auto axis = time_axis(times, 1);
    ASSERT_EQ(axis.missing.size(), 1u);
    EXPECT_EQ(axis.missing[0].before_row, 500);
    EXPECT_GT(axis.missing[0].samples, 100'000'000'000'000);
  }
}

// One row in twenty, or half of all, is missing here and there.
TEST(TimeAxis, RowsMissingAllOverAGridAreFound) {
  for (const double share : {0.05, 0.1, 0.5}) {
    SCOPED_TRACE(share);
    std::mt19937 random(7);
    std::bernoulli_distribution is_missing(share);
    Times times;
    for (int row = 0; row < 20'000; ++row)
      if (row == 0 || row == 19'999 || !is_missing(random)) times.push_back(std::round(row / 360.0 * 1e6) / 1e6);
    const TimeAxis axis = time_axis(times, 1);
    EXPECT_EQ(axis.rate_hz, 360);
    std::int64_t missing = 0;
    for (const auto& gap : axis.missing) missing += gap.samples;
    EXPECT_EQ(missing, 20'000 - std::ssize(times));
    EXPECT_EQ(axis.uneven.distance_s, 0);
    EXPECT_FALSE(axis.jitters);
  }
}

// Every eighth row is missing. Even rows at 315 Hz have about these times, but they would not leave their clock so far.
TEST(TimeAxis, RowsMissingAtRegularPlacesOfAGridAreFound) {
  for (const double hz : {360.0, 250.0, 256.0, 500.0})
    for (const double unit : {1e-3, 1e-4, 1e-6, 0.0}) {
      SCOPED_TRACE(testing::Message() << hz << " Hz in units of " << unit);
      Times times;
      for (int row = 0; row < 20'000; ++row)
        if (row % 8 != 0) times.push_back(row / hz);
      const auto rows = std::ssize(times);
      const TimeAxis axis = [&] {
        if (unit > 0) times = rounded(times, unit);
        return time_axis(times, 1);
      }();
      EXPECT_EQ(axis.rate_hz, hz);
      std::int64_t missing = 0;
      for (const auto& gap : axis.missing) missing += gap.samples;
      EXPECT_EQ(missing, 19'999 - rows);
    }
}

// A clock whose tick is no whole number of samples looks like a finer grid from which rows are missing.
TEST(TimeAxis, ACoarseClockIsNoGridWithRowsMissing) {
  for (const auto& [hz, tick] : {std::pair(800.0, 1e-3),
                                 {80.0, 1e-2},
                                 {75.0, 1e-2},
                                 {360.0, 2e-3},
                                 {200.0, 4e-3},
                                 {700.0, 1e-3},
                                 {900.0, 1e-3},
                                 {240.0, 4e-3}}) {
    SCOPED_TRACE(hz);
    const auto axis = found(rounded(even(100'000, hz), tick));
    EXPECT_NEAR(axis.hz, hz, 1e-3 * hz);
    EXPECT_TRUE(axis.missing.empty());
  }
  std::mt19937 random(7);
  std::normal_distribution<double> jitter(0, 1e-4);
  for (int phase = 0; phase < 20; ++phase) {
    Times times = even(100'000, 500);
    for (double& time : times) time += 1e-3 * phase / 20 + jitter(random);
    const auto axis = found(rounded(times, 1e-3));
    EXPECT_NEAR(axis.hz, 500, 0.01) << phase;
    EXPECT_TRUE(axis.missing.empty()) << phase;
  }
}

// Rows missing all over, at 250 Hz, and one row that is there twice.
TEST(TimeAxis, ARowThatIsThereTwiceHidesNoGrid) {
  std::mt19937 random(7);
  std::bernoulli_distribution is_missing(0.1);
  Times times;
  for (int row = 0; row < 20'000; ++row)
    if (row == 0 || row == 19'999 || !is_missing(random)) times.push_back(row / 250.0);
  const std::int64_t rows = std::ssize(times);
  times.insert(times.begin() + 300, times[299]);
  const TimeAxis axis = time_axis(times, 1);
  EXPECT_NEAR(axis.rate_hz, 250, 0.05);
  EXPECT_EQ(axis.repeats, 1);
  EXPECT_FALSE(axis.jitters);
  std::int64_t missing = 0;
  for (const auto& gap : axis.missing) missing += gap.samples;
  EXPECT_NEAR(static_cast<double>(missing), static_cast<double>(20'000 - rows), 2);
}

// One gap and one repeat are few, in however few rows.
TEST(TimeAxis, AGapOfFewRowsIsNoJitter) {
  Times times = without(even(75, 50), 25, 25);
  EXPECT_EQ(found(times).hz, 50);
  EXPECT_EQ(found(times).missing, (Gaps{{25, 25}}));
  times.insert(times.begin() + 10, times[9]);
  EXPECT_FALSE(time_axis(times, 1).jitters);
  EXPECT_NEAR(found(times).hz, 50, 1.5);
}

TEST(TimeAxis, TimesThatStandStillHaveNoHighestRate) {
  Times times = even(30'000, 250);
  for (int row = 15'000; row < 17'500; ++row) times[row] = times[15'000];
  for (std::size_t row = 17'500; row < times.size(); ++row) times[row] -= 10;
  const auto uneven = time_axis(times, 1).uneven;
  EXPECT_GT(uneven.distance_s, 1);
  EXPECT_NEAR(uneven.lowest_hz, 250, 3);
  EXPECT_EQ(uneven.highest_hz, INFINITY);
}

TEST(TimeAxis, ARateThatChangesLeavesTheClock) {
  for (const double second_hz : {330.0, 350.0, 250.0, 500.0}) {
    SCOPED_TRACE(second_hz);
    Times times = even(5400, 360);
    for (int row = 0; row < 5400; ++row) times.push_back(times[5399] + (row + 1) / second_hz);
    const auto uneven = time_axis(times, 1).uneven;
    EXPECT_GT(uneven.distance_s, 0.1);
    EXPECT_NEAR(static_cast<double>(uneven.row), 5400, 720) << "to a block of 2 s";
    EXPECT_NEAR(uneven.lowest_hz, std::min(360.0, second_hz), 3);
    EXPECT_NEAR(uneven.highest_hz, std::max(360.0, second_hz), 3);
    EXPECT_EQ(uneven.share > 0.5, second_hz != 350);
  }
}

TEST(TimeAxis, TypicalClocksAreEven) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise(0, 1e-3);
  Times jitter = even(50'000, 250), slewed = even(50'000, 250);
  for (std::size_t row = 0; row < jitter.size(); ++row) jitter[row] += noise(random);
  std::ranges::sort(jitter);
  for (std::size_t row = 25'000; row < slewed.size(); ++row) slewed[row] += 5e-4 * (slewed[row] - slewed[25'000]);
  for (Times times : {even(100, 250), even(100'000, 499.31), rounded(even(100'000, 360), 1e-3),
                      rounded(even(100'000, 250), 1.0), without(even(50'000, 250), 20'000, 5000), jitter, slewed})
    EXPECT_EQ(time_axis(times, 1).uneven.distance_s, 0);
}

// Rows that come up to several samples early or late are no missing rows, and do not change the rate.
TEST(TimeAxis, TimesThatJitterByMoreThanASampleDetermineTheRate) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.005);
  Times times = even(100'000, 250);
  for (double& time : times) time += noise(random);
  std::ranges::sort(times);
  const TimeAxis axis = time_axis(times, 1);
  EXPECT_NEAR(axis.rate_hz, 250, 0.05);
  EXPECT_TRUE(axis.missing.empty());
  EXPECT_TRUE(axis.jitters);
}

}  // namespace
}  // namespace beatscan
