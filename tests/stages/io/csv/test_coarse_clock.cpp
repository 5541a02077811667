// Rate and lost rows by the ticks of a coarse clock.
#include "stages/io/csv/coarse_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "stages/io/csv/time_axis.h"

namespace beatscan {
namespace {

// The times of recorded rows, and the places that the rows have.
struct Clocked {
  std::vector<double> times, places_s;
};

// Returns 11 minutes of rows by a clock of this step, without the rows that `is_lost` names.
template <class IsLost>
Clocked clocked(double hz, double step_s, IsLost is_lost) {
  Clocked rows;
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(660 * hz); ++row) {
    const double time = static_cast<double>(row) / hz;
    if (is_lost(row)) continue;
    rows.times.push_back(std::floor((time + 0.37 * step_s) / step_s + 1e-9) * step_s);
    rows.places_s.push_back(time);
  }
  return rows;
}

// Returns by how much a row stands too early or late if rows and missing samples follow each other at the axis' rate.
double farthest_s(const TimeAxis& axis, const std::vector<double>& places_s) {
  double farthest = 0;
  std::int64_t inserted = 0;
  std::size_t next = 0;
  for (std::size_t row = 0; row < places_s.size(); ++row) {
    for (; next < axis.missing.size() && axis.missing[next].before_row <= static_cast<std::int64_t>(row); ++next)
      inserted += axis.missing[next].samples;
    const double place_s = static_cast<double>(static_cast<std::int64_t>(row) + inserted) / axis.rate_hz;
    farthest = std::max(farthest, std::abs(place_s - places_s[row]));
  }
  return farthest;
}

void expect_clock(double hz, const Clocked& rows) {
  auto times = rows.times;
  const TimeAxis axis = time_axis(times, 1);
  EXPECT_NEAR(axis.rate_hz, hz, std::max(axis.rate_error_hz, 1e-4 * hz));
  EXPECT_NEAR(axis.rate_hz, hz, 2e-4 * hz);
  EXPECT_EQ(axis.uneven.distance_s, 0);
  std::int64_t missing = 0;
  for (const auto& gap : axis.missing) missing += gap.samples;
  const double lost = 660 * hz - static_cast<double>(rows.times.size());
  EXPECT_NEAR(static_cast<double>(missing), lost, 3 + 2e-4 * 660 * hz);
  // A gap is placed to within a step, in which half of the lost rows of a step may lie; the rate adds its error.
  EXPECT_LT(farthest_s(axis, rows.places_s), 0.06 + 660 * 2e-4);
}

TEST(CoarseClock, BurstsOfLostRowsAreFound) {
  for (const auto& [hz, step_s] :
       {std::pair{250.0, 1.0}, {250.0, 0.1}, {128.0, 1.0}, {360.0, 1.0}, {500.0, 0.5}, {249.7, 1.0}}) {
    SCOPED_TRACE(testing::Message() << hz << " Hz by steps of " << step_s << " s");
    const auto period = static_cast<std::int64_t>(37.3 * hz);
    expect_clock(hz, clocked(hz, step_s, [&](std::int64_t row) { return row % period < 14 && row > 100; }));
  }
}

TEST(CoarseClock, SingleRowsThatAreLostThroughoutAreFound) {
  for (const double hz : {128.0, 250.0, 360.0})
    for (const double step_s : {1.0, 0.1}) {
      SCOPED_TRACE(testing::Message() << hz << " Hz by steps of " << step_s << " s");
      std::mt19937 random(7);
      expect_clock(hz, clocked(hz, step_s, [&](std::int64_t) { return random() % 220 == 0; }));
    }
}

// The stated error holds, whatever is lost: no row, single ones, bursts, packets with a time of their own.
TEST(CoarseClock, TheStatedErrorOfTheRateHolds) {
  std::mt19937 random(11);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  int wrong = 0, stated = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const double hz = std::round(uniform(100, 500)), step_s = std::vector{0.02, 0.1, 0.25, 1.0}[random() % 4];
    const double share = uniform(0.001, 0.03);
    const int kind = trial % 3, length = kind == 0 ? 1 : 5 + static_cast<int>(random() % 60);
    std::int64_t lost_until = 0;
    const auto rows = clocked(hz, step_s, [&](std::int64_t row) {
      if ((kind < 2 || row % length == 0) && row >= lost_until && uniform(0, 1) < share / (kind == 1 ? length : 1))
        lost_until = row + length;
      return row < lost_until;
    });
    auto times = rows.times;
    const TimeAxis axis = time_axis(times, 1);
    wrong += std::abs(axis.rate_hz - hz) > std::max(axis.rate_error_hz, 1e-4 * hz);
    stated += axis.rate_error_hz > 0;
  }
  EXPECT_LE(wrong, 3) << "one in twenty";
  EXPECT_GE(stated, 55);
}

TEST(CoarseClock, PacketsByACoarserClockAreNotLost) {
  for (const double step_s : {0.01, 0.1, 0.125, 0.25, 1.0}) {
    SCOPED_TRACE(step_s);
    std::vector<double> times;
    for (int row = 0; row < 256 * 120; ++row)
      times.push_back(std::floor(row / 36 * 36 / 256.0 / step_s + 1e-9) * step_s);
    const TimeAxis axis = time_axis(times, 1);
    EXPECT_NEAR(axis.rate_hz, 256, 256 * step_s / 120 + 0.01) << "to a step in 120 s";
    EXPECT_EQ(axis.missing.size(), 0u);
  }
}

TEST(CoarseClock, PacketsThatAreLostAreWhole) {
  std::mt19937 random(5);
  std::vector<double> times;
  std::int64_t lost = 0;
  for (int packet = 0; packet < 900; ++packet) {
    if (packet > 20 && packet < 880 && random() % 30 == 0) {
      lost += 36;
      continue;
    }
    times.insert(times.end(), 36, std::floor(packet * 36 / 256.0 * 100 + 1e-9) / 100);
  }
  const TimeAxis axis = time_axis(times, 1);
  EXPECT_EQ(axis.rate_hz, 256);
  std::int64_t missing = 0;
  for (const auto& gap : axis.missing) {
    EXPECT_EQ(gap.before_row % 36, 0);
    missing += gap.samples;
  }
  EXPECT_EQ(missing, lost);
}

// Four rows a tick, of which some come a tick early by rounding, and one in fifty is lost.
TEST(CoarseClock, ARowInTheTickBeforeIsNotLost) {
  std::mt19937 random(3);
  std::vector<double> times;
  std::int64_t lost = 0;
  for (int row = 0; row < 30'000; ++row) {
    const bool is_early = row % 4 == 0 && row > 0 && random() % 3 == 0;
    if (row > 100 && random() % 50 == 0)
      ++lost;
    else
      times.push_back((row / 4 - is_early) * 0.016);
  }
  const TimeAxis axis = time_axis(times, 1);
  EXPECT_EQ(axis.rate_hz, 250);
  std::int64_t missing = 0;
  for (const auto& gap : axis.missing) missing += gap.samples;
  EXPECT_NEAR(static_cast<double>(missing), static_cast<double>(lost), 3);
}

TEST(CoarseClock, LongGapsAreFound) {
  const auto rows = clocked(250, 1, [](std::int64_t row) { return row >= 50'000 && row < 51'300; });
  auto times = rows.times;
  const TimeAxis axis = time_axis(times, 1);
  EXPECT_EQ(axis.rate_hz, 250);
  std::int64_t missing = 0;
  for (const auto& gap : axis.missing) missing += gap.samples;
  EXPECT_NEAR(static_cast<double>(missing), 1300, 1);
}

TEST(CoarseClock, NothingIsLostWhereALinePassesThroughAllTicks) {
  for (const double hz : {249.7, 250.0, 128.0, 499.31})
    for (const double step_s : {1.0, 0.25})
      EXPECT_FALSE(fit_coarse_clock(clocked(hz, step_s, [](std::int64_t) { return false; }).times, 1))
          << hz << " Hz by steps of " << step_s;
}

TEST(CoarseClock, PacketsWhoseTimesJitterAreNone) {
  std::mt19937 random(3);
  std::vector<double> times;
  for (int packet = 0; packet < 500; ++packet) {
    const double time = packet * 0.3 + static_cast<double>(random() % 1000) * 5e-5;
    times.insert(times.end(), 75, time);
  }
  EXPECT_FALSE(fit_coarse_clock(times, 1));
}

// Packets of ten rows come up to 0.1 s late, and a coarse clock stamps them as they come.
TEST(CoarseClock, ArrivalTimesOfPacketsLoseNoRows) {
  for (const double step_s : {0.1, 0.25, 1.0})
    for (const int seconds : {60, 600}) {
      SCOPED_TRACE(testing::Message() << seconds << " s by steps of " << step_s << " s");
      std::mt19937 random(5);
      std::vector<double> times;
      double last = 0;
      for (int packet = 0; packet < seconds * 25; ++packet) {
        last = std::max(last, packet * 0.04 + static_cast<double>(random() % 1000) * 1e-4);
        times.insert(times.end(), 10, std::floor(last / step_s) * step_s);
      }
      const TimeAxis axis = time_axis(times, 1);
      EXPECT_NEAR(axis.rate_hz, 250, 0.5);
      EXPECT_EQ(axis.missing.size(), 0u);
    }
}

// Such times are nonsense; the search for a whole rate ends all the same.
TEST(CoarseClock, TicksOfAnySizeEnd) {
  for (const double step : {1e-300, 1e-30, 1e-18, 1e18, 1e300}) {
    std::vector<double> times;
    for (int row = 0; row < 4000; ++row)
      if (row % 371 > 40) times.push_back(std::floor(row / 10.0) * step);
    time_axis(times, 1);
    std::vector<double> packets;
    for (int row = 0; row < 4000; ++row) packets.push_back(row / 40 * step + (row > 2000 ? 1e17 * step : 0));
    time_axis(packets, 1);
  }
}

TEST(CoarseClock, TheUnitOfTheTimesDoesNotMatter) {
  auto rows = clocked(250, 1, [](std::int64_t row) { return row % 9000 > 8980; });
  for (double& time : rows.times) time = 1.6e12 + 1000 * time;
  const auto fit = fit_coarse_clock(rows.times, 1e-3);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rate_hz, 250);
  EXPECT_NEAR(fit->tick_s, 1, 1e-6);
}

}  // namespace
}  // namespace beatscan
