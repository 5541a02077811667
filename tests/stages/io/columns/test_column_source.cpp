// Reads recordings from Parquet and Arrow files. Skipped in a build without Arrow. pandas.parquet and duration.feather
// were written by pyarrow 26 and pandas 3.
#include "stages/io/columns/column_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "app/output/tables/parquet.h"
#include "app/output/tables/table.h"
#include "kernels/runtime/error.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/io/input.h"
#include "tests/paths/paths.h"
#include "tests/support/compressed.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

float wave(std::int64_t sample) { return static_cast<float>(sample * 7 % 23); }

std::string fixture(const std::string& name) {
  return contents_of(source_folder() + "/tests/stages/io/columns/" + name);
}

class ColumnFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (arrow_version().empty()) GTEST_SKIP() << "built without Arrow";
  }
  Recording<Cpu> read(const std::string& bytes, const IngestOptions& options = {}) {
    return read_recording(cpu_, resolve_input(folder_.write("x.parquet", bytes), options), options);
  }
  void expect_refused(const std::string& words, const std::string& bytes, const IngestOptions& options = {}) {
    expect_error(ErrorKind::input, words, [&] { read(bytes, options); });
  }
  std::vector<float> samples(const Recording<Cpu>& recording, std::size_t lead = 0) {
    return to_host(cpu_, recording.leads.at(lead).samples);
  }
  // A table of time, two leads and text.
  static std::string two_leads(std::int64_t rows, double step_s = 0.004) {
    TableMaker make(rows);
    make.doubles("time", "s", [=](auto row) { return static_cast<double>(row) * step_s; });
    make.floats("II", "mV", [](auto row) { return wave(row); });
    make.doubles("V1", "uV", [](auto row) { return row == 5 ? std::optional<double>() : wave(row + 1); });
    make.integers("count", "", [](auto row) { return row; });
    return parquet_bytes(make.take());
  }
  TemporaryFolder folder_;
  Cpu cpu_;
};

TEST_F(ColumnFiles, LeadsUnitsAndRateAreRead) {
  for (const std::int64_t rows : {40, 65'536, 65'537, 200'000}) {
    SCOPED_TRACE(rows);
    const auto recording = read(two_leads(rows));
    ASSERT_EQ(recording.leads.size(), 2u);
    EXPECT_EQ(recording.signal.format, "Parquet");
    EXPECT_EQ(recording.leads[0].name, "II");
    EXPECT_EQ(recording.leads[0].unit, "mV");
    EXPECT_EQ(recording.leads[1].unit, "µV");
    EXPECT_EQ(recording.leads[1].missing, 1);
    EXPECT_EQ(recording.signal.sample_rate_hz, 250);
    EXPECT_EQ(recording.signal.rate_origin, RateOrigin::time_column);
    EXPECT_EQ(recording.signal.time_column, "time");
    EXPECT_EQ(recording.signal.names, (std::vector<std::string>{"time", "II", "V1", "count"}));
    const auto values = samples(recording);
    ASSERT_EQ(std::ssize(values), rows);
    for (std::int64_t i = 0; i < rows; ++i) ASSERT_EQ(values[i], wave(i)) << i;
    EXPECT_EQ(samples(recording, 1)[rows - 1], wave(rows));
  }
}

TEST_F(ColumnFiles, ColumnsAreChosenAsInCsv) {
  const std::string bytes = two_leads(100);
  EXPECT_EQ(samples(read(bytes, {.column = "V1"}))[0], wave(1));
  EXPECT_EQ(read(bytes, {.leads = {"V1", "II"}}).leads[0].name, "V1");
  expect_refused("x.parquet: no column 'V2'; the columns are", bytes, {.column = "V2"});
  expect_refused("cannot be both the signal and the time", bytes, {.column = "time", .time_column = "time"});
  const auto without = read(bytes, {.time_column = "-"});
  EXPECT_EQ(without.signal.sample_rate_hz, std::nullopt);
  EXPECT_EQ(without.signal.no_rate_because, "the file does not specify it");
}

TEST_F(ColumnFiles, MetadataSpecifyTheRate) {
  TableMaker make(50);
  make.floats("ECG (mV)", "", [](auto row) { return wave(row); });
  Table table = make.take();
  table.facts = {{"sample_rate_hz", "360"}};
  const auto recording = read(parquet_bytes(table));
  EXPECT_EQ(recording.signal.sample_rate_hz, 360);
  EXPECT_EQ(recording.signal.rate_origin, RateOrigin::metadata);
  EXPECT_EQ(recording.leads[0].unit, "mV");
  EXPECT_EQ(recording.signal.metadata,
            std::vector<std::string>{"the metadata specify the sampling rate: sample_rate_hz = 360"});
}

// An index of dates has no descriptive name. Row 3 has no value; rows 50 to 54 are missing.
TEST_F(ColumnFiles, AnIndexOfPandasReportsTimeAndMissingRows) {
  const auto recording = read(fixture("pandas.parquet"));
  EXPECT_EQ(recording.signal.name, "ECG");
  EXPECT_EQ(recording.signal.sample_rate_hz, 250);
  ASSERT_EQ(recording.samples(), 120);
  EXPECT_EQ(recording.leads[0].missing, 6);
  for (const std::int64_t i : {0, 2, 4, 49, 55, 119}) EXPECT_EQ(samples(recording)[i], wave(i)) << i;
  ASSERT_TRUE(recording.signal.start);
  ASSERT_FALSE(recording.signal.warnings.empty());
  EXPECT_EQ(recording.signal.warnings.back(), "row 50: the time jumps ahead; 5 samples are missing in 1 such place");
}

TEST_F(ColumnFiles, AFeatherFileIsRead) {
  const auto recording = read(fixture("duration.feather"));
  EXPECT_EQ(recording.signal.format, "Arrow");
  ASSERT_EQ(recording.leads.size(), 2u);
  EXPECT_EQ(recording.leads[0].unit, "µV");
  EXPECT_EQ(recording.leads[0].missing, 1);
  EXPECT_EQ(recording.signal.sample_rate_hz, 500);
  for (const std::int64_t i : {0, 8, 10, 49, 50, 99, 100, 119}) {
    EXPECT_EQ(samples(recording)[i], wave(i)) << i;
    EXPECT_EQ(samples(recording, 1)[i], wave(i)) << i;
  }
}

TEST_F(ColumnFiles, MayBePackedOnceMore) {
  EXPECT_EQ(samples(read(gzip(two_leads(100))))[99], wave(99));
  EXPECT_EQ(samples(read(zstd(fixture("duration.feather"))))[119], wave(119));
}

TEST_F(ColumnFiles, ATimeThatGoesBackIsRefused) {
  TableMaker make(100);
  make.doubles("time", "s", [](auto row) { return row == 70 ? 0.1 : static_cast<double>(row) / 250; });
  make.floats("II", "mV", [](auto row) { return wave(row); });
  expect_refused("x.parquet: row 70: the time goes back", parquet_bytes(make.take()));
}

TEST_F(ColumnFiles, AValueBeyondFloat32IsRefused) {
  TableMaker make(100);
  make.doubles("II", "mV", [](auto row) { return row == 77 ? 1e300 : wave(row); });
  expect_refused("column 'II', row 77: the value is infinite or beyond float32's range", parquet_bytes(make.take()));
}

TEST_F(ColumnFiles, AColumnOfTextIsNoLead) {
  expect_refused("column 'note' has no numbers", fixture("pandas.parquet"), {.column = "note"});
  expect_refused("column 'note' has no times", fixture("pandas.parquet"), {.time_column = "note"});
}

// A damaged file is refused, or read as far as its checks go. Nothing else may happen.
TEST_F(ColumnFiles, DamageIsRefused) {
  for (const std::string& whole : {two_leads(100), fixture("pandas.parquet"), fixture("duration.feather")}) {
    for (std::size_t size = 8; size < whole.size(); size += 1 + whole.size() / 50)
      expect_refused("x.parquet: ", whole.substr(0, size));
    for (std::size_t at = 8; at < whole.size(); at += 1 + whole.size() / 200) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      try {
        read(damaged);
      } catch (const Error& error) {
        EXPECT_TRUE(error.kind() == ErrorKind::input || error.kind() == ErrorKind::unanalysable) << error.what();
      } catch (const std::bad_alloc&) {
      }
    }
  }
}

}  // namespace
}  // namespace beatscan
