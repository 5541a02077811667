#include "app/pipeline/diary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class Diary : public testing::Test {
 protected:
  std::vector<FileEvent> read(const std::string& text, const std::optional<StartTime>& start = {}) const {
    return read_diary(folder_.write("diary.csv", text), start);
  }
  void expect_refused(const std::string& text, const std::string& what, const std::optional<StartTime>& start = {}) {
    expect_error(ErrorKind::input, what, [&] { read(text, start); });
  }
  std::vector<double> times(const std::string& text, const std::optional<StartTime>& start = {}) const {
    std::vector<double> times;
    for (const auto& event : read(text, start)) times.push_back(event.time_s);
    return times;
  }

  TemporaryFolder folder_;
};

TEST_F(Diary, SecondsAndTexts) {
  const auto events = read("time,text\r\n12.5,stairs, fast\r\n60,\"palpitations, \"\"strong\"\"\"\r\n\r\n");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].time_s, 12.5);
  EXPECT_EQ(events[0].text, "stairs, fast");
  EXPECT_EQ(events[1].text, "palpitations, \"strong\"");
  EXPECT_EQ(read("time;text\n1;a\n")[0].text, "a");
  EXPECT_TRUE(read("time,text\n").empty());
}

// A recording from 22:00 on: times of day go on over midnight, and a second day follows where one goes back.
TEST_F(Diary, TimesOfDay) {
  const StartTime start{.second_of_day = 22 * 3600};
  EXPECT_EQ(times("time,text\n22:30,a\n01:00:30,b\n21:00,c\n07:00,d\n", start),
            (std::vector<double>{1800, 3 * 3600 + 30, 23 * 3600, 33 * 3600}));
  expect_refused("time,text\n25:30,a\n", "diary.csv:2: '25:30' is no time of day", start);
  expect_refused("time,text\n22:30,a\n", "diary.csv:2: '22:30' is a time of day, and the recording has none");
}

TEST_F(Diary, Dates) {
  using namespace std::chrono;
  const StartTime start{.second_of_day = 10 * 3600, .date = year(2026) / 11 / 21};
  EXPECT_EQ(times("time,text\n2026-11-22T09:30:00,a\n", start), (std::vector<double>{23.5 * 3600}));
  expect_refused("time,text\n2026-11-22T09:30:00,a\n", "is a date, and the recording has none",
                 StartTime{.second_of_day = 1});
}

TEST_F(Diary, WhatIsRefused) {
  expect_refused("", "diary.csv:1: '' is not the header of a diary; make the first line time,text");
  expect_refused("when,what\n1,a\n", "diary.csv:1: 'when,what' is not the header of a diary");
  expect_refused("time,text\n1,a\nsoon,b\n", "diary.csv:3: 'soon' is not a time");
  expect_refused("time,text\n1\n", "diary.csv:2: '1' has no text; write the time, a comma and the text");
}

}  // namespace
}  // namespace beatscan
