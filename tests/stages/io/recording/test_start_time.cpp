#include "stages/io/recording/start_time.h"

#include <gtest/gtest.h>

#include <limits>

namespace beatscan {
namespace {

using std::chrono::year_month_day;

constexpr year_month_day on(int year, unsigned month, unsigned day) {
  return {std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
}

TEST(StartTime, OfAHeader) {
  const auto start = start_time({.hour = 13, .minute = 5, .second = 7.25, .day = 29, .month = 2, .year = 2024});
  ASSERT_TRUE(start);
  EXPECT_EQ(start->second_of_day, 13 * 3600 + 5 * 60 + 7.25);
  EXPECT_EQ(start->date, on(2024, 2, 29));
  EXPECT_EQ(start->ahead_of_utc_s, std::nullopt);
  EXPECT_EQ(start_time({.hour = 1, .day = 30, .month = 2, .year = 2024})->date, std::nullopt) << "no such day";
  EXPECT_EQ(start_time({.hour = 1, .day = 257, .month = 1, .year = 2020})->date, std::nullopt);
  EXPECT_EQ(start_time({.hour = 1, .day = 1, .month = 257, .year = 2020})->date, std::nullopt);
  EXPECT_EQ(start_time({.hour = 1, .day = -9, .month = -9, .year = -9})->date, std::nullopt);
}

TEST(StartTime, NoTimeOfDayIsNone) {
  for (const WrittenStart& written : {WrittenStart{.hour = 24},
                                      {.hour = -9, .minute = -9, .second = -9},
                                      {.hour = 1, .minute = 60},
                                      {.hour = 1, .second = 60},
                                      {.hour = 1, .second = std::numeric_limits<double>::quiet_NaN()}})
    EXPECT_EQ(start_time(written), std::nullopt) << written.hour;
}

// Files without names are often written with such a start.
TEST(StartTime, MidnightOfNoDateOrTheFirstOfJanuaryIsNone) {
  EXPECT_EQ(start_time({}), std::nullopt);
  EXPECT_EQ(start_time({.day = 1, .month = 1, .year = 1985}), std::nullopt);
  EXPECT_EQ(start_time(0, std::nullopt), std::nullopt) << "1970-01-01T00:00:00";
  EXPECT_TRUE(start_time({.second = 1, .day = 1, .month = 1, .year = 1985}));
  EXPECT_TRUE(start_time({.day = 2, .month = 1, .year = 1985}));
}

// 2026-11-21 is day 20,778 since 1970-01-01.
TEST(StartTime, OfSecondsSince1970) {
  constexpr double kTen = 20'778 * 86400.0 + 36000;
  EXPECT_EQ(start_time(kTen + 0.125, std::nullopt), (StartTime{36000.125, on(2026, 11, 21), std::nullopt}));
  EXPECT_EQ(start_time(kTen, 0), (StartTime{36000, on(2026, 11, 21), 0}));
  EXPECT_EQ(start_time(kTen, 15 * 3600), (StartTime{3600, on(2026, 11, 22), 15 * 3600})) << "as it is written";
  EXPECT_EQ(start_time(-1, -3600), (StartTime{22 * 3600 + 3599, on(1969, 12, 31), -3600}));
  EXPECT_EQ(start_time(kTen + 0.123, {})->second_of_day, 36000.123) << "without what double adds";
  EXPECT_EQ(start_time(1e300, {}), std::nullopt);
}

TEST(StartTime, TheTimeOfDayGoesOnAfterMidnight) {
  const StartTime start{86399.5};
  EXPECT_EQ(time_of_day(start, 0), "23:59:59.500");
  EXPECT_EQ(time_of_day(start, 0.4994), "23:59:59.999");
  EXPECT_EQ(time_of_day(start, 0.4996), "00:00:00.000");
  EXPECT_EQ(time_of_day(start, 0.5), "00:00:00.000");
  EXPECT_EQ(time_of_day(start, 3 * 86400 + 3661.625), "01:01:01.125");
  EXPECT_EQ(time_of_day(start, 0, false), "00:00:00");
  EXPECT_EQ(time_of_day({36000}, 0.4, false), "10:00:00");
  EXPECT_EQ(time_of_day({10}, -20), "23:59:50.000") << "a strip may begin before the recording";
}

TEST(StartTime, DatesAndZonesAsText) {
  EXPECT_EQ(date_text({1}), "");
  EXPECT_EQ(date_text({1, on(85, 3, 4)}), "0085-03-04");
  EXPECT_EQ(zone_text({1}), "");
  EXPECT_EQ(zone_text({.ahead_of_utc_s = 0}), "Z");
  EXPECT_EQ(zone_text({.ahead_of_utc_s = 3600}), "+01:00");
  EXPECT_EQ(zone_text({.ahead_of_utc_s = -12600}), "-03:30");
}

}  // namespace
}  // namespace beatscan
