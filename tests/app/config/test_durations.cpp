#include "app/config/durations.h"

#include <gtest/gtest.h>

#include "app/config/config.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

TEST(Durations, InSeconds) {
  EXPECT_EQ(duration_s("300"), 300);
  EXPECT_EQ(duration_s("5min"), 300);
  EXPECT_EQ(duration_s("90s"), 90);
  EXPECT_EQ(duration_s("1.5h"), 5400);
  for (const char* text : {"", "min", "5 m", "-1", "1:00", "5mins", "nan"}) EXPECT_FALSE(duration_s(text)) << text;
}

TEST(Durations, Sleep) {
  const auto night = sleep_of("23:00-07:30");
  ASSERT_TRUE(night);
  EXPECT_TRUE(night->by_clock);
  EXPECT_EQ(night->from_s, 23 * 3600);
  EXPECT_EQ(night->to_s, 7.5 * 3600);
  const auto from_start = sleep_of("14-22.5");
  ASSERT_TRUE(from_start);
  EXPECT_FALSE(from_start->by_clock);
  EXPECT_EQ(from_start->to_s, 22.5 * 3600);
  for (const char* text : {"", "23:00", "23:00-7", "25:00-07:00", "23:60-07:00", "22-14", "7:00-7:00", "a-b"})
    EXPECT_FALSE(sleep_of(text)) << text;
}

TEST(Durations, AsOptions) {
  EXPECT_EQ(load_config("", {"hrv.window=5min"}).hrv.window_s, 300);
  EXPECT_EQ(load_config("", {"hrv.window=60"}).hrv.window_s, 60);
  EXPECT_EQ(load_config("", {"hrv.window=0"}).hrv.window_s, 0);
  EXPECT_EQ(load_config("", {"hrv.sleep=22:00-06:00"}).hrv.sleep, "22:00-06:00");
  EXPECT_EQ(load_config("", {"output.only=VS"}).output.only, "VS");
  expect_error(ErrorKind::usage, "hrv.window: \"soon\" is not a duration of a second and more, such as 300, 5min or 1h",
               [] { load_config("", {"hrv.window=soon"}); });
  expect_error(ErrorKind::usage, "hrv.sleep: \"late\" is not two times of day",
               [] { load_config("", {"hrv.sleep=late"}); });
  expect_error(ErrorKind::usage, "output.only: \"v\" is not letters of beat classes (NSVFQ)",
               [] { load_config("", {"output.only=v"}); });
}

}  // namespace
}  // namespace beatscan
