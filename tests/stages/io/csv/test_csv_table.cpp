// Lines before the table of a CSV file: which ones are ignored, and what is read from them.
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

class CsvTables : public testing::Test {
 protected:
  CsvHeader header(const std::string& text, const CsvOptions& options = {}) {
    return read_csv_header(InputFile(folder_.write("x.csv", text)), options);
  }
  SignalInfo signal(const std::string& text, const IngestOptions& options = {}) {
    return ingest(cpu_, InputFile(folder_.write("x.csv", text)), options).signal;
  }
  std::optional<double> rate(const std::string& line) { return signal(line + "\nmV\n1\n2\n").sample_rate_hz; }
  TemporaryFolder folder_;
  Cpu cpu_;
};

TEST_F(CsvTables, AWatchSpecifiesRateUnitLeadAndStart) {
  const auto read = signal(
      "Name,Jo Public\nRecorded Date,2021-11-21 10:00:00 +0100\nSample Rate,512 hertz\n\nLead,Lead "
      "I\nUnit,\xc2\xb5V\n\n"
      "1\n2\n");
  EXPECT_EQ(read.sample_rate_hz, 512);
  EXPECT_EQ(read.rate_origin, RateOrigin::metadata);
  EXPECT_EQ(read.name, "Lead I");
  EXPECT_EQ(read.unit, "\xc2\xb5V");
  EXPECT_EQ(date_text(read.start.value()), "2021-11-21");
  EXPECT_EQ(read.start->second_of_day, 36000);
  EXPECT_EQ(read.csv->skipped_lines, 7);
  EXPECT_EQ(read.metadata.size(), 4u);
  EXPECT_EQ(read.metadata[1], "line 3 gives the sampling rate: Sample Rate,512 hertz");
  EXPECT_TRUE(read.warnings.empty());
  for (const auto& line : read.metadata) EXPECT_EQ(line.find("Jo Public"), line.npos) << "names stay in the file";
}

TEST_F(CsvTables, RatesAreTakenInTheirForms) {
  for (const char* line : {"# Fs = 360 Hz", "#fs:360", "# sampling_rate_hz=360", "% Sampling frequency (Hz): 360",
                           "# Sample Rate,360 hertz", "# Frequency: 360 Hz", "# sampling rate: 0.36 kHz",
                           "Sampling Rate;360,0 Hz", "Abtastrate\t360", "Fréquence d'échantillonnage;360"})
    EXPECT_EQ(rate(line), 360) << line;
  EXPECT_EQ(rate("# sampling interval: 4 ms"), 250);
  EXPECT_EQ(rate("# sampling interval (s): 0.002"), 500);
  EXPECT_EQ(rate("# sampling interval (\u00b5s): 2000"), 500);
  EXPECT_EQ(rate("# sampling interval: 2000 \u03bcs"), 500) << "a Greek letter";
}

// Each of these holds a number in hertz, or a rate of something else.
TEST_F(CsvTables, OtherNumbersAreNoSamplingRate) {
  for (const char* line :
       {"# Heart rate: 360", "# Mains frequency: 60 Hz", "# Frequency: 60 Hz", "# Filter: 150 Hz", "# Rate: 360",
        "# Fs: 1,000 Hz", "# Fs: none", "# recorded at 360 Hz", "# Fs: 360 bpm", "# Frequency: 360"})
    EXPECT_EQ(rate(line), std::nullopt) << line;
}

TEST_F(CsvTables, OfTwoRatesNeitherIsTaken) {
  const auto read = signal("# Fs = 360 Hz\n# Unit: mV\n# Sample rate: 250\nII\n1\n2\n");
  EXPECT_EQ(read.sample_rate_hz, std::nullopt);
  EXPECT_EQ(read.metadata, std::vector<std::string>{"line 2 gives the unit: # Unit: mV"});
  EXPECT_EQ(read.warnings, std::vector<std::string>{"lines 1 and 3 give different sampling rates: neither is used"});
}

TEST_F(CsvTables, TimesWinOverMetadata) {
  std::string text = "# Fs = 360 Hz\ntime,II\n";
  for (int i = 0; i < 1000; ++i) text += std::to_string(i * 0.004) + "," + std::to_string(i % 9) + "\n";
  const auto read = signal(text);
  EXPECT_EQ(read.sample_rate_hz, 250);
  EXPECT_EQ(read.rate_origin, RateOrigin::time_column);
  EXPECT_EQ(read.warnings,
            std::vector<std::string>{"line 1 gives 360 Hz and the time column 250 Hz; the time column is used"});
  EXPECT_EQ(signal(text, {.time_column = "-"}).sample_rate_hz, 360);
}

TEST_F(CsvTables, ARateIsThatOfTheValuesBetweenBlankLines) {
  std::string text = "Sample Rate,360 Hz\necg\n";
  for (int row = 0; row < 200; ++row) text += std::to_string(row * 37 % 90) + "\n\n";
  const auto recording = ingest(cpu_, InputFile(folder_.write("x.csv", text)), {});
  EXPECT_EQ(recording.signal.sample_rate_hz, 360);
  EXPECT_EQ(recording.leads.front().samples.size(), 200);
  ASSERT_EQ(recording.signal.warnings.size(), 1u);
  EXPECT_NE(recording.signal.warnings[0].find("the lines between are blank and left out"), std::string::npos);
}

TEST_F(CsvTables, LinesAndBytesAreThoseOfTheFile) {
  const auto table = header("# a\n\n# Fs = 360\ntime,II\n0,1\n");
  EXPECT_EQ(table.table_line, 4);
  EXPECT_EQ(table.first_line, 5);
  EXPECT_EQ(table.table_offset, 16);
  EXPECT_EQ(table.data_offset, 24);
  expect_error(ErrorKind::input, "x.csv:3: byte 8: ' x' is not a number", [&] { signal("# a\nECG\n x\n"); });
  expect_error(ErrorKind::input, "line 4: no column 'III'", [&] { header("# a\n\n# b\ntime,II\n0,1\n", {"III"}); });
}

TEST_F(CsvTables, UnitsStandInNamesOrBelow) {
  const auto unit = [&](const std::string& text) { return signal(text + "1\n2\n").unit; };
  EXPECT_EQ(unit("ECG (mV)\n"), "mV");
  EXPECT_EQ(unit("ecg_uV\n"), "\xc2\xb5V");
  EXPECT_EQ(unit("II [\xc2\xb5V]\n"), "\xc2\xb5V");
  EXPECT_EQ(unit("II\nmV\n"), "mV");
  EXPECT_EQ(unit("'II'\n'mV'\n"), "mV");
  EXPECT_EQ(unit("lead V\n"), "") << "V is a lead";
  EXPECT_EQ(unit("heartbeats\n"), "");
  EXPECT_EQ(unit("ECG rate (bpm)\n"), "");
}

TEST_F(CsvTables, FilesThatBeginWithTheirTableDoSo) {
  for (const char* text : {"360\n1\n2\n", "mV\n1\n2\n", "time,II\n0,1\n0.1,2\n", "1;2\n3;4\n", "name,Unit\n1,2\n3,4\n",
                           "Fs,ECG\n360,1\n360,2\n", "\n1\n2\n"}) {
    const auto table = header(text, {.column = "0"});
    EXPECT_EQ(table.table_line, 1) << text;
    EXPECT_EQ(table.metadata.sample_rate_hz, std::nullopt) << text;
  }
}

// A row that is damaged is an error, and never a line before the table.
TEST_F(CsvTables, ADamagedRowIsNotPassedOver) {
  for (const char* text : {"mV\n1.1x5\n2\n3\n", "# Fs = 360\nmV\n1.1x5\n2\n3\n", "Unit,mV\nFs,360\n1.1x5\n2\n3\n",
                           "Unit,mV\nFs,360\nmV\n-.5.\n2\n3\n"})
    expect_error(ErrorKind::input, "is not a number", [&] { signal(text); });
}

// Reads a table as `rdsamp -c -pd` of PhysioNet writes it: dates in brackets, units that are none, and a dash for a
// missing sample.
TEST_F(CsvTables, ExportsOfPhysioNetAreRead) {
  std::string text = "'Time and date','MLII','ABP'\n'hh:mm:ss.mmm dd/mm/yyyy','mV','NU'\n";
  for (int row = 0; row < 1000; ++row) {
    char time[60];
    std::snprintf(time, sizeof time, "'[10:00:0%d.%03d 31/10/2021]'", row * 4 / 1000, row * 4 % 1000);
    text += std::string(time) + "," + (row == 7 ? "-" : std::to_string(row % 9)) + ",-0.5\n";
  }
  const auto recording = ingest(cpu_, InputFile(folder_.write("x.csv", text)), {});
  EXPECT_EQ(recording.signal.sample_rate_hz, 250);
  EXPECT_EQ(recording.leads.front().unit, "mV");
  EXPECT_EQ(recording.leads.front().missing, 1);
  EXPECT_EQ(date_text(recording.signal.start.value()), "2021-10-31");
  EXPECT_EQ(signal("'MLII'\n1\n-\n-1\n-").name, "'MLII'") << "the last cell is a dash, too";
  expect_error(ErrorKind::input, "x.csv:3: byte 7: '-' is not a number", [&] { signal("MLII\n1\n-\n2\n"); });
}

// rdsamp without times: the counter has no unit, and units stand in brackets.
TEST_F(CsvTables, UnitsInBracketsAndQuotesAreRead) {
  const auto read = header("'sample #','MLII','V5'\n'','(mV)','(mV)'\n0,1,2\n1,3,4\n");
  EXPECT_EQ(read.units, (std::vector<std::string>{"", "mV", "mV"}));
  EXPECT_EQ(read.leads, (std::vector{1, 2}));
  EXPECT_EQ(read.first_line, 3);
}

std::string rows_of(int columns) {
  std::string text;
  for (int row = 0; row < 100; ++row) {
    text += std::to_string(row * 0.004);
    for (int column = 1; column < columns; ++column) text += "\t" + std::to_string(row * 37 % 90 + column);
    text += "\n";
  }
  return text;
}

TEST_F(CsvTables, ExportsOfLabChartAreRead) {
  const std::string before =
      "Interval=\t0.004 s\nExcelDateTime=\t4.1275427083333330e+004\t1/1/2013 10:15:00.000000\n"
      "TimeFormat=\tStartOfBlock\nDateFormat=\tM/d/yyyy\nChannelTitle=\tECG\tResp\nRange=\t2.000 mV\t10.00 V\n";
  const auto read = signal(before + rows_of(3));
  EXPECT_EQ(read.sample_rate_hz, 250);
  EXPECT_EQ(read.name, "ECG");
  EXPECT_EQ(read.unit, "mV");
  EXPECT_EQ(read.csv->skipped_lines, 6);
  EXPECT_EQ(read.csv->time_column, "time");
  EXPECT_EQ(date_text(read.start.value()), "2013-01-01");
  EXPECT_EQ(read.start->second_of_day, 10 * 3600 + 15 * 60);
  std::string samples;
  for (int row = 0; row < 100; ++row) samples += std::to_string(row * 37 % 90) + "\t" + std::to_string(row % 7) + "\n";
  const auto without_times = signal(before + samples);
  EXPECT_EQ(without_times.sample_rate_hz, 250);
  EXPECT_EQ(without_times.name, "ECG");
  EXPECT_FALSE(without_times.csv->time_column);
}

TEST_F(CsvTables, ExportsOfOpenSignalsAreRead) {
  std::string text =
      "# OpenSignals Text File Format\n# {\"00:07\": {\"sensor\": [\"RESP\", \"ECG\"], \"device\": \"bitalino\", "
      "\"column\": [\"nSeq\", \"DI\", \"A1\", \"A2\"], \"time\": \"9:5:7.245\", \"sampling rate\": 1000, \"date\": "
      "\"2017-1-30\", \"resolution\": [4, 1, 10, 10]}}\n# EndOfHeader\n";
  for (int row = 0; row < 100; ++row)
    text +=
        std::to_string(row % 16) + "\t0\t" + std::to_string(row * 37 % 90) + "\t" + std::to_string(row % 7) + "\t\n";
  const auto read = signal(text);
  EXPECT_EQ(read.sample_rate_hz, 1000);
  EXPECT_EQ(read.name, "ECG");
  EXPECT_EQ(read.names, (std::vector<std::string>{"nSeq", "DI", "RESP", "ECG"}));
  EXPECT_EQ(date_text(read.start.value()), "2017-01-30");
  EXPECT_NEAR(read.start->second_of_day, 9 * 3600 + 5 * 60 + 7.245, 1e-6);
  EXPECT_TRUE(read.warnings.empty()) << "DI is no lead here";
}

TEST_F(CsvTables, TheStartIsReadInItsForms) {
  for (const char* line : {"# Start time: 2021-11-21 10:00:00", "# Recording started 2021-11-21T10:00:00",
                           "# start_time=1637488800", "# Start,21.11.2021 10:00:00", "# Inicio: 2021-11-21 10:00:00"}) {
    const auto read = signal(std::string(line) + "\nmV\n1\n2\n");
    ASSERT_TRUE(read.start) << line;
    EXPECT_EQ(date_text(*read.start), "2021-11-21") << line;
    EXPECT_EQ(read.start->second_of_day, 36000) << line;
  }
  for (const char* line : {"# start: 5", "# Restarted 2021-11-21T10:00:00", "# Born 2021-11-21 10:00:00"})
    EXPECT_FALSE(signal(std::string(line) + "\nmV\n1\n2\n").start) << line;
}

TEST_F(CsvTables, MetadataOfOtherLanguagesAreRead) {
  const auto chinese = signal("采样率,250\n导联,II\n单位,mV\n电压\n1\n2\n");
  EXPECT_EQ(chinese.sample_rate_hz, 250);
  EXPECT_EQ(chinese.unit, "mV");
  const auto russian = signal("Частота дискретизации: 250 Гц\nОтведение: II\nмВ\n1\n2\n");
  EXPECT_EQ(russian.sample_rate_hz, 250);
  EXPECT_EQ(russian.unit, "mV");
}

TEST_F(CsvTables, TheMarkOfMissingSamplesInRawUnitsIsAWarning) {
  EXPECT_EQ(signal("MLII\n5\n-32768\n7\n").warnings,
            std::vector<std::string>{"column 'MLII' holds -32768, which stands for a missing sample in raw units of "
                                     "WFDB; --set ingest.missing=-32768 takes such cells for missing"});
  EXPECT_TRUE(signal("MLII\n5\n-32767\n7\n").warnings.empty());
}

TEST_F(CsvTables, ARowOfNumbersThatIsNoHeaderIsNotQuotedWhole) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "-0.345 ";
  try {
    signal(text);
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_LT(std::string(error.what()).size(), 200u);
  }
}

}  // namespace
}  // namespace beatscan
