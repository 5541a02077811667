// Reads CSV with a time column: the rate by the times, rows that are missing, and impossible times.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/csv/ingest.h"
#include "stages/io/recording/input_file.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

template <class Context>
class TimeColumns : public OnBackend<Context> {
 protected:
  Recording<Context> read(const std::string& text, const IngestOptions& options = {}) {
    return ingest(this->context(), InputFile(folder_.write("x.csv", text)), options);
  }
  SignalInfo signal(const std::string& text, const IngestOptions& options = {}) { return read(text, options).signal; }
  void expect_refused(const std::string& part, const std::string& text, const IngestOptions& options = {}) {
    expect_error(ErrorKind::input, part, [&] { read(text, options); });
  }
  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(TimeColumns, Backends, BackendNames);

std::string formatted(const char* format, double value) {
  char text[60];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

struct Table {
  std::string header = "time,mV";
  std::int64_t rows = 1000;
  double hz = 250;
  const char* format = "%.3f";
  std::int64_t hole_at = -1, hole_rows = 0;  // first row that is left out, and number of such rows
  double unit_s = 1;
};

// Returns the text of the table. The value of row i is i.
std::string text_of(const Table& table) {
  std::string text = table.header + "\n";
  for (std::int64_t row = 0; row < table.rows; ++row)
    if (row < table.hole_at || row >= table.hole_at + table.hole_rows)
      text += formatted(table.format, static_cast<double>(row) / table.hz / table.unit_s) + "," + std::to_string(row) +
              "\n";
  return text;
}

TYPED_TEST(TimeColumns, TellTheRate) {
  for (const double hz : {128.0, 250.0, 360.0, 1000.0}) {
    const auto signal = this->signal(text_of({.rows = 5000, .hz = hz}));
    EXPECT_EQ(signal.sample_rate_hz, hz);
    EXPECT_EQ(signal.rate_origin, RateOrigin::time_column);
    EXPECT_EQ(signal.name, "mV");
    EXPECT_TRUE(signal.warnings.empty());
  }
  EXPECT_NEAR(*this->signal(text_of({.rows = 50'000, .hz = 499.31})).sample_rate_hz, 499.31, 0.005);
}

TYPED_TEST(TimeColumns, SpecifyTheirUnitByName) {
  EXPECT_EQ(this->signal(text_of({.header = "time_ms,mV", .unit_s = 1e-3})).sample_rate_hz, 250);
  EXPECT_EQ(this->signal(text_of({.header = "t [us],mV", .unit_s = 1e-6})).sample_rate_hz, 250);
  EXPECT_EQ(this->signal(text_of({.header = "timestamp,mV", .format = "1763719%07.0f", .unit_s = 1e-3})).sample_rate_hz,
            250)
      << "milliseconds since 1970";
}

TYPED_TEST(TimeColumns, MayBeDatesOrClocks) {
  std::string dates = "time;mV\n", clocks = "Time;mV\n";
  for (int row = 0; row < 1000; ++row) {  // the times pass midnight
    const int ms = row * 4, second = ms / 1000;
    const auto at = [&](const std::string& format) { return formatted((format + ".%03.0f").c_str(), ms % 1000); };
    dates += at(second < 2 ? "2026-12-31T23:59:5" + std::to_string(8 + second)
                           : "2027-01-01T00:00:0" + std::to_string(second - 2)) +
             "Z;1\n";
    clocks += at(second < 2 ? "23:59:5" + std::to_string(8 + second) : "00:00:0" + std::to_string(second - 2)) + ";1\n";
  }
  for (const auto& text : {dates, clocks}) {
    const auto signal = this->signal(text);
    EXPECT_EQ(signal.sample_rate_hz, 250);
    EXPECT_TRUE(signal.warnings.empty());
  }
}

TYPED_TEST(TimeColumns, AreFoundByNameOrPosition) {
  EXPECT_EQ(this->signal("mV,clock\n1,0.000\n2,0.004\n3,0.008\n").sample_rate_hz, std::nullopt);
  EXPECT_EQ(this->signal("mV,clock\n1,0.000\n2,0.004\n3,0.008\n", {.time_column = "clock"}).sample_rate_hz, 250);
  EXPECT_EQ(this->signal("mV,clock\n1,0.000\n2,0.004\n3,0.008\n", {.time_column = "1"}).sample_rate_hz, 250);
  EXPECT_EQ(this->signal("mV,time\n1,0.000\n2,0.004\n3,0.008\n").sample_rate_hz, 250);
  EXPECT_EQ(this->signal("mV,time\n1,0.000\n2,0.004\n3,0.008\n", {.time_column = "-"}).sample_rate_hz, std::nullopt);
  const auto without_header = this->read("0.000;1\n0.004;2\n0.008;3\n", {.time_column = "0"});
  EXPECT_EQ(without_header.signal.sample_rate_hz, 250);
  EXPECT_EQ(to_host(this->context(), without_header.leads.front().samples), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(this->signal("a,b\n1,0.000\n2,0.004\n3,0.008\n", {.time_column = "b"}).name, "a");
  EXPECT_EQ(this->signal("a,b\n0.000,1\n0.004,2\n0.008,3\n", {.time_column = "a"}).name, "b");
  this->expect_refused("no column 'tome'; the columns are 'time', 'mV'; did you mean 'time'?", text_of({}),
                       {.time_column = "tome"});
  this->expect_refused("choose by position: --set ingest.time_column=0", "0,1\n0.004,2\n", {.time_column = "time"});
  this->expect_refused("column 'mV' cannot be both the signal and the time", text_of({}),
                       {.column = "mV", .time_column = "mV"});
}

TYPED_TEST(TimeColumns, MissingRowsAreAGap) {
  for (const std::int64_t chunk_bytes : {1024, 1 << 20}) {
    const auto recording = this->read(text_of({.hole_at = 400, .hole_rows = 100}), {.chunk_bytes = chunk_bytes});
    const auto samples = to_host(this->context(), recording.leads.front().samples);
    ASSERT_EQ(samples.size(), 1000u);
    for (std::size_t i = 0; i < samples.size(); ++i) ASSERT_NEAR(samples[i], i, 1e-3) << "bridged by a straight line";
    EXPECT_EQ(recording.leads.front().missing, 100);
    EXPECT_EQ(to_host(this->context(), recording.leads.front().gap_firsts), std::vector<std::int64_t>{400});
    EXPECT_EQ(to_host(this->context(), recording.leads.front().gap_lasts), std::vector<std::int64_t>{499});
    EXPECT_EQ(recording.signal.sample_rate_hz, 250);
    EXPECT_EQ(recording.signal.warnings,
              std::vector<std::string>{"line 402: the time jumps ahead; 100 samples are missing in 1 such place"});
  }
}

// Times are not taken for a clock if they give another rate than the user, or one that no recording has.
TYPED_TEST(TimeColumns, JumpsOfNoClockAreNoGap) {
  const Table table = {.rows = 5000, .hz = 250, .hole_at = 2000, .hole_rows = 500};
  EXPECT_EQ(this->read(text_of(table)).samples(), 5000);
  EXPECT_EQ(this->read(text_of(table), {.sample_rate_hz = 250}).samples(), 5000);
  EXPECT_EQ(this->read(text_of(table), {.sample_rate_hz = 100}).samples(), 4500);
  std::string tiny = "time,mV\n";
  for (int row = 1; row <= 5000; ++row)
    tiny += formatted("%g", row * 1e-310 * (row < 2500 ? 1 : 2)) + "," + std::to_string(row) + "\n";
  const auto recording = this->read(tiny);
  EXPECT_EQ(recording.samples(), 5000);
  EXPECT_EQ(recording.signal.sample_rate_hz, std::nullopt);
}

TYPED_TEST(TimeColumns, AStepBackIsNamed) {
  std::string text = "time,mV\n0.000,1\n0.004,1\n0.008,1\n0.006,1\n0.016,1\n";
  this->expect_refused(
      "x.csv:5: the time goes back, from 0.008 to 0.006 (column 'time'); sort the rows, or leave the "
      "times out: --set ingest.time_column=-",
      text);
  EXPECT_EQ(this->read(text, {.time_column = "-"}).samples(), 5);
}

TYPED_TEST(TimeColumns, AJumpFarBeyondTheRecordingIsNamed) {
  std::string text = text_of({});
  text += "1e9,1\n1000000000.004,1\n";
  this->expect_refused(
      "x.csv:1002: the time jumps ahead by 999999996.004 (column 'time'), far longer than what is recorded", text);
  text = text_of({.rows = 100, .hz = 250});
  for (int i = 0; i < 100; ++i) text += formatted("%.3f", 100 + i * 0.004) + ",1\n";
  this->expect_refused("x.csv:102: the time jumps ahead by 99.604", text);
}

TYPED_TEST(TimeColumns, RepeatsAreNamed) {
  std::string text = text_of({});
  text += "3.996,7\n4.000,8\n";
  const auto recording = this->read(text);
  EXPECT_EQ(recording.samples(), 1002);
  EXPECT_EQ(recording.signal.warnings,
            std::vector<std::string>{
                "line 1002: the time repeats that of the previous line; 1 such line is taken as a sample"});
}

TYPED_TEST(TimeColumns, ManyRepeatsAreNamedToo) {
  std::string text = "time,mV\n";
  for (int row = 0; row < 1000; ++row)
    for (int copy = 0; copy < (row % 20 == 19 ? 2 : 1); ++copy) text += formatted("%.3f", row * 0.004) + ",1\n";
  const auto signal = this->signal(text);
  ASSERT_EQ(signal.warnings.size(), 1u);
  EXPECT_TRUE(
      signal.warnings[0].starts_with("line 22: the time repeats that of the previous line; 50 such lines are taken as "
                                     "a sample each, which makes 262.5"))
      << signal.warnings[0];
}

TYPED_TEST(TimeColumns, WithoutARateReportTheReason) {
  for (const auto& [text, why] :
       {std::pair{text_of({.format = "%.0f", .unit_s = 1. / 250}),
                  "column 'time' rises by 1 a row, which in seconds would be 1 Hz; they may be row numbers"},
        std::pair{text_of({.header = "time_ns,mV", .unit_s = 1}),
                  "column 'time_ns' rises by 0.004 a row, which in its unit would be 250000000000 Hz"},
        std::pair{std::string("time,mV\n5,1\n5,2\n5,3\n"), "the times in column 'time' do not rise as times do"},
        std::pair{std::string("time,mV\n,1\n,2\n"), "the times in column 'time' do not rise as times do"}}) {
    const auto signal = this->signal(text);
    EXPECT_EQ(signal.sample_rate_hz, std::nullopt);
    EXPECT_EQ(signal.rate_origin, RateOrigin::none);
    EXPECT_EQ(signal.no_rate_because, why);
    EXPECT_TRUE(signal.warnings.empty());
  }
}

// The warning also comes if the user gives the rate.
TYPED_TEST(TimeColumns, NamedByTheUserAndWithoutARateAreAWarning) {
  const auto recording = this->read("time,mV\n5,1\n5,2\n5,3\n", {.time_column = "time", .sample_rate_hz = 250});
  EXPECT_EQ(recording.signal.warnings, std::vector<std::string>{"the times in column 'time' do not rise as times do"});
}

// A column that is only named like a time is ignored if it begins with no time. One that the user named must have
// times.
TYPED_TEST(TimeColumns, WhatIsNoTime) {
  const std::string text = "time,mV\nnoon,1\n0.004,2\n0.008,3\n0.012,4\n";
  const auto recording = this->read(text);
  EXPECT_EQ(recording.samples(), 4);
  EXPECT_EQ(recording.signal.sample_rate_hz, std::nullopt);
  EXPECT_EQ(recording.signal.no_rate_because, "column 'time' is not used: line 2: 'noon' is not a time");
  EXPECT_EQ(recording.signal.warnings, std::vector<std::string>{recording.signal.no_rate_because});
  this->expect_refused("x.csv:2: byte 8: 'noon' is not a time like 12.345", text, {.time_column = "time"});
}

// A bad cell among times is a bad row, whether the user named the column or not.
TYPED_TEST(TimeColumns, ABadCellAmongTimesIsNamed) {
  const std::string text = "time,mV\n0.000,1\n0.004,2\nnoon,3\n0.012,4\n";
  for (const std::string column : {"", "time"}) {
    this->expect_refused("x.csv:4: byte 24: 'noon' is not a time like those before; --set ingest.on_bad=nan", text,
                         {.time_column = column});
    this->expect_refused("x.csv:3: byte 16: '0:01' is not a time", "time,mV\n0.000,1\n0:01,2\n",
                         {.time_column = column});
  }
  EXPECT_EQ(this->read(text, {.time_column = "-"}).samples(), 4);
}

// The text has many chunks, read by several threads; the one bad cell is found by its line.
TYPED_TEST(TimeColumns, ALongFileIsReadLikeAShortOne) {
  std::string text = text_of({.rows = 60'000, .hz = 360, .hole_at = 30'000, .hole_rows = 36});
  for (const std::int64_t chunk_bytes : {4097, 1024, 1 << 18, 4 << 20}) {
    if (left_out()) continue;
    SCOPED_TRACE(chunk_bytes);
    const auto recording = this->read(text, {.chunk_bytes = chunk_bytes});
    EXPECT_EQ(recording.samples(), 60'000);
    EXPECT_EQ(recording.leads.front().missing, 36);
    EXPECT_EQ(recording.signal.sample_rate_hz, 360);
    const auto at = text.find("\n111.111,") + 1;
    std::string bad = text;
    bad.replace(at, 7, "111:1.1");
    const auto line = std::to_string(1 + std::count(bad.begin(), bad.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    this->expect_refused("x.csv:" + line + ": byte " + std::to_string(at) + ": '111:1.1' is not a time", bad,
                         {.time_column = "time", .chunk_bytes = chunk_bytes});
  }
}

TYPED_TEST(TimeColumns, TheLastRowCountsWithAndWithoutALineEnd) {
  std::string text = text_of({.rows = 20'000});  // several parts, each read by a thread
  EXPECT_EQ(this->signal(text).sample_rate_hz, 250);
  text.pop_back();
  const auto recording = this->read(text);
  EXPECT_EQ(recording.samples(), 20'000);
  EXPECT_EQ(recording.signal.sample_rate_hz, 250);
  EXPECT_TRUE(recording.signal.warnings.empty());
}

// A table of dates, 250 rows a second from 10:00:00 on, with the text `zone` after each.
std::string dates(const std::string& zone, const std::string& first = "") {
  std::string text = "time,mV\n" + first;
  for (int row = first.empty() ? 0 : 1; row < 1000; ++row)
    text += "2026-11-21T10:00:" + formatted("%06.3f", row / 250.0) + zone + "," + std::to_string(row) + "\n";
  return text;
}

TYPED_TEST(TimeColumns, DatesSpecifyTheTimeOfDay) {
  const std::chrono::year_month_day day{std::chrono::year(2026), std::chrono::November, std::chrono::day(21)};
  EXPECT_EQ(this->signal(dates("")).start, (StartTime{36000, day, std::nullopt}));
  EXPECT_EQ(this->signal(dates("Z")).start, (StartTime{36000, day, 0}));
  EXPECT_EQ(this->signal(dates("+01:00")).start, (StartTime{36000, day, 3600})) << "as it is written";
  EXPECT_EQ(this->signal(dates("", ",7\n")).start, (StartTime{36000, day, std::nullopt}))
      << "the first row has no time";
}

TYPED_TEST(TimeColumns, OtherTimesSpecifyNoTimeOfDay) {
  EXPECT_EQ(this->signal(text_of({})).start, std::nullopt) << "seconds";
  EXPECT_EQ(this->signal(text_of({.format = "10:00:%06.3f"})).start, std::nullopt) << "may count from the start";
  EXPECT_EQ(this->signal("mV\n1\n2\n").start, std::nullopt);
  EXPECT_EQ(this->signal(dates(""), {.sample_rate_hz = 500}).start, std::nullopt) << "the rate contradicts the times";
  EXPECT_NE(this->signal(dates(""), {.sample_rate_hz = 250}).start, std::nullopt);
}

}  // namespace
}  // namespace beatscan
