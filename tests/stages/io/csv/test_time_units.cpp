// Reads CSV with times in minutes or hours, with a row of units, and with a sampling rate that changes.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/csv/ingest.h"
#include "stages/io/recording/input_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class TimeUnits : public testing::Test {
 protected:
  SignalInfo signal(const std::string& text, const IngestOptions& options = {}) {
    return ingest(cpu_, InputFile(folder_.write("x.csv", text)), options).signal;
  }
  // Reads 1000 rows at 250 Hz below the header, with times in a unit.
  SignalInfo signal_at_250_hz(const std::string& header, double unit_s) {
    std::string text = header + "\n";
    for (int row = 0; row < 1000; ++row) text += row_of(row * 0.004 / unit_s, row);
    return signal(text);
  }
  static std::string row_of(double time, int value) {
    char text[60];
    std::snprintf(text, sizeof text, "%.12f,%d\n", time, value % 50);
    return text;
  }
  TemporaryFolder folder_;
  Cpu cpu_;
};

TEST_F(TimeUnits, MinutesAndHoursStandInTheName) {
  for (const char* header : {"Time (min),mV", "time_min,mV", "elapsed minutes,mV"})
    EXPECT_EQ(signal_at_250_hz(header, 60).sample_rate_hz, 250) << header;
  for (const char* header : {"time_h,mV", "Time [hours],mV"})
    EXPECT_EQ(signal_at_250_hz(header, 3600).sample_rate_hz, 250) << header;
}

TEST_F(TimeUnits, ARowOfUnitsSpecifiesThem) {
  const auto with_unit = [&](const std::string& unit, double unit_s) {
    return signal_at_250_hz("time,mV\n" + unit + ",mV", unit_s);
  };
  for (const char* unit : {"s", "sec", "seconds", "'s'"}) EXPECT_EQ(with_unit(unit, 1).sample_rate_hz, 250) << unit;
  for (const char* unit : {"min", "minutes", "'minutes'"}) EXPECT_EQ(with_unit(unit, 60).sample_rate_hz, 250) << unit;
  EXPECT_EQ(with_unit("ms", 1e-3).sample_rate_hz, 250);
  EXPECT_TRUE(with_unit("ms", 1e-3).warnings.empty()) << "nothing is guessed";
  EXPECT_EQ(with_unit("s", 1e-3).sample_rate_hz, std::nullopt) << "the row of units decides";
  EXPECT_EQ(with_unit("adu", 1e-3).warnings.size(), 1u) << "no unit of time: it is guessed";
  EXPECT_EQ(signal_at_250_hz("time_us,mV\nms,mV", 1e-3).warnings,
            std::vector<std::string>{
                "column 'time_us' and the row of units specify different units of time: that of the row is used"});
}

TEST_F(TimeUnits, AChangeOfTheRateIsReportedOrRefused) {
  const auto text = [](int rows, int changes_at, double second_hz) {
    std::string table = "time,mV\n";
    double time = 0;
    for (int row = 0; row < rows; ++row, time += 1 / (row <= changes_at ? 360 : second_hz)) table += row_of(time, row);
    return table;
  };
  expect_error(ErrorKind::input,
               "the sampling rate changes in the recording, between 250 and 360 Hz (column 'time'); bring the rows",
               [&] { signal(text(10'800, 5400, 250)); });
  EXPECT_EQ(signal(text(10'800, 5400, 250), {.time_column = "-"}).sample_rate_hz, std::nullopt);
  EXPECT_TRUE(signal(text(10'800, 5400, 250), {.sample_rate_hz = 300}).warnings.empty()) << "the times do not count";
  const auto warnings = signal(text(40'000, 36'000, 350)).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find(" Hz: the sampling rate changes (between 350 and 360 Hz), or rows are missing; intervals"),
            std::string::npos)
      << warnings[0];
}

// 120 s at 250 Hz, of which 10 s have one time.
TEST_F(TimeUnits, TimesThatStandStillAreReported) {
  std::string text = "time,mV\n";
  for (int row = 0; row < 30'000; ++row)
    text += row_of(row < 15'000 ? row * 0.004 : row < 17'500 ? 60 : row * 0.004 - 10, row);
  const auto message = [&] {
    try {
      std::string all;
      for (const auto& warning : signal(text).warnings) all += warning;
      return all;
    } catch (const Error& error) {
      return std::string(error.what());
    }
  }();
  EXPECT_NE(message.find("from 250 Hz to times that stand still"), std::string::npos) << message;
}

}  // namespace
}  // namespace beatscan
