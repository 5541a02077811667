#include "stages/io/csv/time_cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "stages/io/csv/time_name.h"

namespace beatscan {
namespace {

void expect_time(TimeKind kind, double value, const std::string& text) {
  SCOPED_TRACE(text);
  const TimeCell cell = parse_time(text);
  EXPECT_EQ(cell.kind, kind);
  EXPECT_EQ(cell.value, value);
}

TEST(TimeCell, Numbers) {
  expect_time(TimeKind::number, 0, "0");
  expect_time(TimeKind::number, 12.345, " 12.345 ");
  expect_time(TimeKind::number, 1763719200.004, "\"1763719200.004\"");
  expect_time(TimeKind::number, 1.5e-3, "+1.5e-3");
  expect_time(TimeKind::number, -2, "-2\r");
}

// Day and month of a date with slashes are unclear, so its time is that of a clock.
TEST(TimeCell, UnclearDates) {
  expect_time(TimeKind::clock, 36000.125, "01/05/2026 10:00:00.125");
  expect_time(TimeKind::clock, 36000, "5/1/2026 10:00:00");
  expect_time(TimeKind::clock, 36000, "11/21/2026 10:00:00");
  expect_time(TimeKind::clock, 36000, "21/11/2026 10:00:00");
  for (const char* text : {"01/05/2026", "1/5/26 10:00:00", "32/05/2026 10:00:00", "1/2 10:00:00"})
    EXPECT_EQ(parse_time(text).kind, TimeKind::bad) << text;
}

// 2026-11-21 is day 20,778 since 1970-01-01.
TEST(TimeCell, DatesWithTimes) {
  constexpr double kTen = 20'778 * 86400.0 + 36000;
  expect_time(TimeKind::date, kTen + 0.125, "2026-11-21T10:00:00.125Z");
  expect_time(TimeKind::date, kTen + 0.125, "2026-11-21 10:00:00.125");
  expect_time(TimeKind::date, kTen + 0.125, "\"2026-11-21 10:00:00,125\"");
  expect_time(TimeKind::date, kTen, "2026/11/21 10:00");
  expect_time(TimeKind::date, kTen, "2026-11-21T11:00:00+01:00");
  expect_time(TimeKind::date, kTen, "2026-11-21T11:00:00 +0100");
  expect_time(TimeKind::date, kTen, "2026-11-21T05:30:00-04:30");
  expect_time(TimeKind::date, -86400, "1969-12-31 00:00:00");
  expect_time(TimeKind::date, 951'782'400, "2000-02-29T00:00:00Z");
}

// German, French, Polish and many other exports write dates so.
TEST(TimeCell, DatesWithTheDayFirst) {
  constexpr double kTen = 20'778 * 86400.0 + 36000;
  expect_time(TimeKind::date, kTen + 0.125, "21.11.2026 10:00:00.125");
  expect_time(TimeKind::date, kTen + 0.125, "21.11.2026 10:00:00,125");
  expect_time(TimeKind::date, kTen + 0.125, "21,11,2026 10:00:00.125");  // points and commas were swapped
  expect_time(TimeKind::date, kTen, "\"21.11.2026 10:00\"");
  expect_time(TimeKind::date, 20'458 * 86400.0 + 3600, "5.1.2026 1:00:00");
  for (const char* text :
       {"21.11.2026", "31.02.2026 10:00:00", "21.13.2026 10:00:00", "21.11,2026 10:00:00", "21.11.26 10:00:00"})
    EXPECT_EQ(parse_time(text).kind, TimeKind::bad) << text;
}

TEST(TimeCell, ZonesOfDates) {
  EXPECT_EQ(parse_time("2026-11-21T10:00:00").ahead_of_utc_s, std::nullopt);
  EXPECT_EQ(parse_time("2026-11-21T10:00:00Z").ahead_of_utc_s, 0);
  EXPECT_EQ(parse_time("2026-11-21T10:00:00+01:00").ahead_of_utc_s, 3600);
  EXPECT_EQ(parse_time("2026-11-21T10:00:00 -0430").ahead_of_utc_s, -16200);
  EXPECT_EQ(parse_time("10:00:00").ahead_of_utc_s, std::nullopt);
}

TEST(TimeCell, Clocks) {
  expect_time(TimeKind::clock, 36000.5, "10:00:00.5");
  expect_time(TimeKind::clock, 0.25, "'0:00.250'");
  expect_time(TimeKind::clock, 61, "1:01");
  expect_time(TimeKind::clock, 90061, "[25:01:01]");
}

TEST(TimeCell, MissingOnes) {
  for (const char* text : {"", " ", "NaN", "NA", "null", "\"\""}) {
    EXPECT_EQ(parse_time(text).kind, TimeKind::missing) << text;
    EXPECT_TRUE(std::isnan(parse_time(text).value));
  }
}

TEST(TimeCell, AnythingElse) {
  for (const char* text : {"abc",
                           "inf",
                           "1e400",
                           "1.2.3",
                           "12h",
                           "2026-11-21",
                           "2026-13-01T00:00:00",
                           "2026-02-29T00:00:00",
                           "2026-11-21T25:00:00",
                           "2026-11-21T24:59:00",
                           "2026-11-21T10:61:00",
                           "2026-11-21T10:00:00X",
                           "2026-11-21T10:00:00+1",
                           "10:0:00",
                           "10:00:61",
                           "10:99:00",
                           ":00",
                           "-1:00",
                           "1:00:00:00",
                           "2026-11-21T",
                           "0x10",
                           "1_000"})
    EXPECT_EQ(parse_time(text).kind, TimeKind::bad) << text;
}

TEST(TimeName, DistinguishesTimesFromOtherColumns) {
  for (const char* name :
       {"time", "Time", "t", "time_s", "Time [s]", "time (ms)", "'Elapsed time'", "timestamp", "timestamp_utc",
        "seconds", "sec", "ts", "ts_ms", "ms", "datetime", "Date Time", "time since start [us]"})
    EXPECT_TRUE(states_time(name)) << name;
  for (const char* name : {"", "mV", "date", "index", "sample", "timezone", "time to peak", "s", "us", "ECG time", "0"})
    EXPECT_FALSE(states_time(name)) << name;
}

TEST(TimeName, SpecifiesTheUnit) {
  EXPECT_EQ(time_unit_s("time"), 1);
  EXPECT_EQ(time_unit_s("Time [s]"), 1);
  EXPECT_EQ(time_unit_s("time_ms"), 1e-3);
  EXPECT_EQ(time_unit_s("TIME (USEC)"), 1e-6);
  EXPECT_EQ(time_unit_s("time [\u00b5s]"), 1e-6);
  EXPECT_EQ(time_unit_s("time [\u03bcs]"), 1e-6) << "a Greek letter";
  EXPECT_EQ(time_unit_s("timestamp_ns"), 1e-9);
}

TEST(TimeName, MinutesAndHoursAreUnits) {
  for (const char* name : {"Time (min)", "time_h", "elapsed minutes", "'Time and date'"})
    EXPECT_TRUE(states_time(name));
  EXPECT_FALSE(states_time("min"));
  EXPECT_EQ(time_unit_s("Time (min)"), 60);
  EXPECT_EQ(time_unit_s("time_h"), 3600);
  EXPECT_EQ(time_unit_of("'seconds'"), 1);
  EXPECT_EQ(time_unit_of("[ms]"), 1e-3);
  EXPECT_EQ(time_unit_of("minutes"), 60);
  for (const char* text : {"", "mV", "time", "s per row", "-"}) EXPECT_EQ(time_unit_of(text), std::nullopt) << text;
}

TEST(TimeCell, ADateMayFollowTheTimeInBrackets) {
  const TimeCell time = parse_time("'[10:00:00.250 31/10/2021]'");
  EXPECT_EQ(time.kind, TimeKind::date);
  EXPECT_EQ(time.value, parse_time("2021-10-31T10:00:00.250").value);
  for (const char* text : {"10:00:00.250 31/10/2021", "[10:00:00.250 10/31/2021]", "[31/10/2021]", "[10:00:00 1/2/21]"})
    EXPECT_EQ(parse_time(text).kind, TimeKind::bad) << text << ": day and month are ambiguous";
}

}  // namespace
}  // namespace beatscan
